import type { Socket } from "node:net";

/** Maximum bytes on the wire of one response, including headers, interim responses, chunk framing and trailers. */
const MAX_WIRE_BYTES = 512 * 1024;

/** Destroys a connection whose response exceeds that size, because every byte of it must be parsed. */
export function boundAnswers(socket: Socket): void {
	let written = socket.bytesWritten;
	let before = socket.bytesRead;
	let last = before;
	socket.prependListener("readable", () => {
		if (socket.bytesWritten !== written) {
			written = socket.bytesWritten;
			before = last; // another request was sent: its response begins here
		}
		last = socket.bytesRead;
		if (last - before > MAX_WIRE_BYTES) socket.destroy(new Error("the answer is too long"));
	});
}
