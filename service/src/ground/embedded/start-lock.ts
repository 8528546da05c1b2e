import { createHash } from "node:crypto";
import { createServer } from "node:net";
import type { Cluster } from "./cluster.ts";

/** Held by the one process that is starting the server of a data folder. */
export interface StartLock {
	release(): Promise<void>;
}

/**
 * Where the kernel has no names for sockets outside the file system, starters only have the checks of PostgreSQL
 * itself.
 */
const NO_LOCK: StartLock = { release: async () => undefined };

/**
 * The right to look at the pid file, remove a stale one and start the server; null: another process has it. It is the
 * name of a socket in the kernel (Linux's abstract names): one process can have it, nothing of it is on disk, and it is
 * free at the very moment its holder ends, however it ends. The name holds a digest of the server's password, so nobody
 * else can take it first.
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
