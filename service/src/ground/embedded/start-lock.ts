import { createHash } from "node:crypto";
import { createServer } from "node:net";
import type { Cluster } from "./cluster.ts";

/** Held by the one process that is starting the server of a data folder. */
export interface StartLock {
	release(): Promise<void>;
}

/** Without abstract socket names, starters rely on PostgreSQL's own checks. */
const NO_LOCK: StartLock = { release: async () => undefined };

/**
 * The right to check the pid file, remove a stale one and start the server; null if another process holds it. It is an
 * abstract socket name (Linux): one process can own it, nothing is on disk, and it is free as soon as its owner ends,
 * however it ends. The name contains a digest of the server's password, so no other account can take it first.
 */
export async function tryStartLock({
	pgData,
	password,
}: Pick<Cluster, "pgData" | "password">): Promise<StartLock | null> {
	if (process.platform !== "linux") return NO_LOCK;
	const digest = createHash("sha256").update(`${pgData}\n${password}`).digest("hex").slice(0, 32);
	const server = createServer((socket) => socket.destroy());
	return await new Promise((resolve) => {
		server.once("error", (error) => {
			// a sandbox may forbid such names
			resolve((error as { code?: string }).code === "EADDRINUSE" ? null : NO_LOCK);
		});
		server.listen({ path: `\0holdfast-start-${digest}` }, () => {
			resolve({ release: () => new Promise((released) => server.close(() => released())) });
		});
	});
}
