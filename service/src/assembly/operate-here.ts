import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../ground/lib/log.ts";
import type { Database } from "../ground/pg/connect.ts";
import { createMetrics } from "../partners/http/metrics.ts";
import { createHttpServer } from "../partners/http/server.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import { createSealer } from "../partners/keys/ring-sealer.ts";
import { authenticateOperator } from "../partners/operators/authenticate-operator.ts";
import { createTokenReader } from "../partners/operators/token-reader.ts";
import type { ExecuteCommandsIn } from "./engine.ts";
import { bySocket } from "./operator-surface.ts";
import { openOperator } from "./surfaces.ts";

/** Separates the key under which replies of operators are encrypted from all others. */
export const REPLIES = "holdfast operator replies";

/** What the operator's API works on. */
export const operatorDepsOf = (db: Database, readDb: Database, ring: KeyRing, executeIn: ExecuteCommandsIn) => ({
	executeIn,
	db,
	readDb,
	taskDb: db,
	ring,
	sealer: createSealer(ring, REPLIES),
	authenticateOperator: authenticateOperator(createTokenReader(readDb), ring),
});

/**
 * Serves the operator's API in this process while `work` runs, on a socket in a folder that only its account can open:
 * for a command where no service runs. `work` gets the path of the socket.
 */
export async function operateHere<T>(
	db: Database,
	ring: KeyRing,
	executeIn: ExecuteCommandsIn,
	work: (socket: string) => Promise<T>,
): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
	const server = createHttpServer({ log: silentLog(), metrics: createMetrics() });
	try {
		openOperator(server, bySocket(), operatorDepsOf(db, db, ring, executeIn));
		const path = join(folder, "admin.sock");
		await server.listenOnSocket(path);
		return await work(path);
	} finally {
		await server.close(0);
		await rm(folder, { recursive: true, force: true });
	}
}
