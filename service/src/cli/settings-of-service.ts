import { resolve } from "node:path";
import { IN_DATA_FOLDER } from "../assembly/common-settings.ts";
import { type Config, readEnv, toConfig } from "../config.ts";
import { COMMON_VARIABLES, NOTHING_ALLOWED } from "../ground/lib/common-settings.ts";
import type { Query } from "../ground/pg/connect.ts";
import { selectRunningNodes } from "../ground/pg/running-nodes.ts";

/**
 * The configuration of this process, in which the settings that all nodes share are those of the node that started last
 * on the database, whatever the shell sets: what a command stores must be what the service would store. Without any
 * such node the shell's count. @throws OperatorError if a setting that goes with one of them is missing here
 */
export async function settingsOfService(db: Query): Promise<Config> {
	const env = readEnv();
	const [last] = await selectRunningNodes(db);
	const theirs = last?.settings ?? {};
	const { dataDir } = toConfig(env);
	const followed = COMMON_VARIABLES.flatMap((name) => {
		const value = theirs[name];
		return value === undefined ? [] : [[name, valueOf(value, dataDir)] as const];
	});
	return toConfig({ ...env, ...Object.fromEntries(followed) });
}

/** The text that a variable has for the value that a node has written down. */
function valueOf(written: string, dataDir: string): string | undefined {
	if (written === NOTHING_ALLOWED) return undefined;
	return written.endsWith(IN_DATA_FOLDER) ? resolve(dataDir, written.slice(0, -IN_DATA_FOLDER.length)) : written;
}
