import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/*
 * All that Holdfast uses of Node's sockets although Node's documentation does not promise it. Tested with Node 24.21;
 * client-error.test.ts and slow-readers.test.ts fail if another version differs.
 */

/** The reply that Node is working on for a connection; undefined: none. */
export const replyOn = (socket: Socket): ServerResponse | undefined =>
	(socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;

/** Bytes written to a socket, and how many of them the kernel has not accepted yet; undefined: the socket is closed. */
export const writtenOn = (
	socket: Socket,
): { readonly bytesWritten: number; readonly writeQueueSize: number } | undefined =>
	(socket as Socket & { readonly _handle?: ReturnType<typeof writtenOn> | null })._handle ?? undefined;
