/**
 * The duration of a start: of the service on an empty folder, of the service on existing data, and of a bare
 * PostgreSQL.
 */
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { timeBarePostgres } from "./bare-postgres.ts";
import { startService } from "./children.ts";

/** Milliseconds. */
export interface Starts {
	/**
	 * From starting the process on an empty data folder to `/readyz`: initdb, migrations, sandbox and first key
	 * included.
	 */
	readonly coldMs: number;
	/** The same on the folder left by the cold start. */
	readonly warmMs: number;
	readonly bareInitdbMs: number;
	readonly bareStartMs: number;
}

/** Measures each once, in a folder of its own. */
export async function measureStarts(folder: string): Promise<Starts> {
	await mkdir(folder);
	const bare = await timeBarePostgres(path.join(folder, "bare"));
	const dataDir = path.join(folder, "data");
	const timeStart = async (): Promise<number> => {
		const began = performance.now();
		const service = await startService({ HOLDFAST_DATA_DIR: dataDir }, path.join(folder, "service.log"));
		const took = performance.now() - began;
		await service.stop();
		return took;
	};
	const coldMs = await timeStart();
	const warmMs = await timeStart();
	await rm(folder, { recursive: true, force: true });
	return { coldMs, warmMs, bareInitdbMs: bare.initdbMs, bareStartMs: bare.startMs };
}
