import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { openEmbedded } from "../src/ground/embedded/embedded.ts";
import { migrate } from "../src/ground/pg/migrate.ts";
import { openServerPlace } from "./server-place.ts";

const run = promisify(execFile);

/**
 * A new folder for data folders whose servers are killed but never cut off from power: the kernel keeps what they
 * wrote, in memory as well as on a disk. The run keeps its own server in the same place: in memory if there is room.
 */
export const openDataPlace = (name: string): Promise<string> => openServerPlace(name, dirname(inject("runFolder")));

/**
 * Makes a data folder as a first start that was stopped at once leaves it, but without a key ring: its cluster is
 * migrated and empty. A copy of one that is made once per run costs a fifth of a second of a core, initdb and all
 * migrations three seconds.
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
	const folder = await (model ??= openModel());
	await run("cp", ["-a", folder, dataDir]); // with its owners, who are not ours when we are root
}

let model: Promise<string> | undefined;

/** The folder that is copied. Of two processes that make it at once, the slower one uses that of the faster. */
async function openModel(): Promise<string> {
	const made = join(inject("runFolder"), "data-model");
	if (existsSync(made)) return made;
	const own = `${made}-${process.pid}`;
	const server = await openEmbedded({ dataDir: own, role: "tool", settings: { fsync: "off" } });
	await migrate(server.url);
	await server.close();
	try {
		await rename(own, made);
	} catch (error) {
		await rm(own, { recursive: true });
		if (!existsSync(made)) throw error;
	}
	return made;
}
