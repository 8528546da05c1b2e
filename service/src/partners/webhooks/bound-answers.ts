import type { Socket } from "node:net";

/** Bytes on the wire of one answer, with its headers, interim answers, the frames of its chunks and trailers. */
const MAX_WIRE_BYTES = 512 * 1024;

/**
 * Destroys a connection on which an answer has more bytes than that, whatever they are: each of them has to be parsed.
 */
export function boundAnswers(socket: Socket): void {
	let written = socket.bytesWritten;
	let before = socket.bytesRead;
	let last = before;
	socket.prependListener("readable", () => {
		if (socket.bytesWritten !== written) {
			written = socket.bytesWritten;
			before = last; // another request went out: this is its answer
		}
		last = socket.bytesRead;
		if (last - before > MAX_WIRE_BYTES) socket.destroy(new Error("the answer is too long"));
	});
}
