import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { sleep } from "../ground/lib/clock.ts";
import { silentLog } from "../ground/lib/log.ts";
import type { Database } from "../ground/pg/connect.ts";
import { createMetrics } from "../partners/http/metrics.ts";
import { createHttpServer } from "../partners/http/server.ts";
import { type KeyRing, newKeyRingEntry, parseKeyRing } from "../partners/keys/key-ring.ts";
import type { Runs } from "../partners/runs/carry-out-runs.ts";
import { TAKE_OVER_EVERY_MS } from "../partners/runs/limits.ts";
import { openOperatorDeps } from "./operator-deps.ts";
import { bySocket } from "./operator-surface.ts";
import { openOperator } from "./surfaces.ts";

interface Here {
	readonly config: Config;
	readonly db: Database;
	readonly databaseUrl: string;
	/** Null: `work` needs none. Then no run is taken over, because the secrets of its state could not be opened. */
	readonly ring: KeyRing | null;
}

/**
 * Serves the operator's API in this process while `work` runs, on a socket in a folder that only the account of this
 * process can open. For a command where no service runs. `work` gets the path of the socket.
 */
export async function operateHere<T>(
	{ config, ring, ...means }: Here,
	work: (socket: string) => Promise<T>,
): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
	const server = createHttpServer({ log: silentLog(), metrics: createMetrics() });
	const { deps, close } = openOperatorDeps(config, { ...means, ring: ring ?? parseKeyRing(newKeyRingEntry()) });
	const ended = new AbortController();
	try {
		openOperator(server, bySocket(), deps);
		const path = join(folder, "admin.sock");
		await server.listenOnSocket(path);
		if (ring !== null) void lookForRuns(deps.runs, ended.signal);
		return await work(path);
	} finally {
		ended.abort();
		deps.live.close();
		await server.close(0);
		await deps.runs.stop();
		await close();
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * A command that follows a run takes over runs whose processes are gone. A short command ends before the first
 * search.
 */
async function lookForRuns(runs: Runs, ended: AbortSignal): Promise<void> {
	for (;;) {
		await sleep(TAKE_OVER_EVERY_MS, ended);
		if (ended.aborted) return;
		await runs.takeOver().catch(() => undefined);
	}
}
