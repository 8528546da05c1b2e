import { resolve } from "node:path";
import { IN_DATA_FOLDER } from "../../../service/src/assembly/common-settings.ts";
import { type Config, readEnv, toConfig } from "../../../service/src/config.ts";
import { COMMON_VARIABLES, NOTHING_ALLOWED } from "../../../service/src/ground/lib/common-settings.ts";
import type { Query } from "../../../service/src/ground/pg/connect.ts";
import { selectRunningNodes } from "../../../service/src/ground/pg/running-nodes.ts";

/**
 * The configuration of this process, with the settings that all nodes share taken from the node that started last on
 * the database, whatever the shell sets: a command must store what the service would store. If no node ever ran, the
 * shell's settings count. @throws OperatorError if a setting is missing here that one of them requires
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

/** The text of a variable for a value that a node recorded. */
function valueOf(written: string, dataDir: string): string | undefined {
	if (written === NOTHING_ALLOWED) return undefined;
	return written.endsWith(IN_DATA_FOLDER) ? resolve(dataDir, written.slice(0, -IN_DATA_FOLDER.length)) : written;
}
