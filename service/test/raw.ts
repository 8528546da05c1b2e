import { connect } from "node:net";

/** Sends bytes unchanged, and returns everything that arrives until the server closes the connection. */
export function raw(port: number, bytes: string | Buffer): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
		let answer = "";
		socket.on("data", (chunk) => {
			answer += chunk.toString("latin1");
		});
		socket.on("close", () => resolve(answer));
		socket.on("error", reject);
	});
}
