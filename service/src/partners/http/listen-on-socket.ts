import { rm } from "node:fs/promises";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { OperatorError } from "../../ground/lib/operator-error.ts";

/** Maximum length of the path of a Unix socket on Linux, in bytes (sun_path without its NUL). */
const MAX_PATH_BYTES = 107;
/** Nobody but the owner may open it. */
const OWNER_ONLY = 0o177;

/**
 * Listens on a Unix socket that only the account of this process, and root, can open. Removes a socket left behind by
 * a process that ended without removing it. False: another process answers there, and this one does not listen.
 */
export async function listenOnSocket(app: FastifyInstance, path: string): Promise<boolean> {
	if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
		throw new OperatorError(
			`HOLDFAST_ADMIN_SOCKET: the path of the operator's socket has at most ${MAX_PATH_BYTES} bytes, and ${path} is longer. Set a shorter one.`,
		);
	}
	if (await answers(path)) return false;
	await rm(path, { force: true });
	await app.ready();
	await new Promise<void>((resolve, reject) => {
		app.server.once("error", reject);
		const before = process.umask(OWNER_ONLY); // `listen` creates the path before it returns
		app.server.listen(path, resolve);
		process.umask(before);
	});
	return true;
}

/** Whether a process listens at this path. */
export const answers = (path: string): Promise<boolean> =>
	new Promise((resolve) => {
		const socket = connect(path);
		socket.once("connect", () => {
			socket.destroy();
			resolve(true);
		});
		socket.once("error", () => resolve(false));
	});
