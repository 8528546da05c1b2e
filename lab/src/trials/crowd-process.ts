/**
 * A process that sends requests on many connections at once, separate so that it does not slow the measurement. Its
 * parent sends a job; the process answers `ready` when the connections are open, starts on `go`, ends on `stop` and
 * returns how often each status came.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface CrowdJob {
	readonly port: number;
	readonly token: string;
	readonly path: string;
	readonly connections: number;
	/** Each connection repeats its request as soon as it is answered; otherwise it sends one. */
	readonly again: boolean;
	readonly body: CrowdBody;
}

export type CrowdBody =
	| { readonly kind: "text"; readonly text: string }
	/**
	 * A body of just under 1 MiB: `items` repeats this text `count` times; `members` has `count` unknown members.
	 */
	| { readonly kind: "items"; readonly item: string; readonly count: number }
	| { readonly kind: "members"; readonly count: number };

export type CrowdOrder = { readonly kind: "job"; readonly job: CrowdJob } | { readonly kind: "go" | "stop" };
export type CrowdMessage =
	| { readonly kind: "ready"; readonly bodyBytes: number }
	/** All connections are closed: each has sent its one request and received the response, or has failed. */
	| { readonly kind: "answered" }
	| { readonly kind: "done"; readonly statuses: Readonly<Record<string, number>> };

const STATUS = /^HTTP\/1\.1 (\d{3})/;
const LENGTH = /\r\ncontent-length: (\d+)/i;
const MEMBER_DIGITS = 5;

const statuses: Record<string, number> = {};
const sockets = new Set<Socket>();
let request = Buffer.alloc(0);
let open = 0;

const tell = (message: CrowdMessage): void => {
	process.send?.(message);
};

function bodyOf(body: CrowdBody): string {
	switch (body.kind) {
		case "text":
			return body.text;
		case "items":
			return `{"items":[${Array.from({ length: body.count }, () => body.item).join(",")}]}`;
		case "members":
			return `{${Array.from({ length: body.count }, (_, n) => `"k${String(n).padStart(MEMBER_DIGITS, "0")}":1`).join(",")}}`;
	}
}

async function prepare(wanted: CrowdJob): Promise<void> {
	const body = Buffer.from(bodyOf(wanted.body));
	const head = `POST ${wanted.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${wanted.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
	request = Buffer.concat([Buffer.from(head), body]);
	for (let n = 0; n < wanted.connections; n++) {
		const socket = connect(wanted.port, "127.0.0.1");
		await once(socket, "connect");
		sockets.add(socket);
		socket.on("error", () => undefined); // "close" follows
		socket.on("close", () => over(socket));
		listen(socket, wanted.again);
	}
	open = sockets.size;
	tell({ kind: "ready", bodyBytes: body.length });
}

/** Counts each answer by its status and skips the body. */
function listen(socket: Socket, again: boolean): void {
	let received = Buffer.alloc(0);
	socket.on("data", (chunk: Buffer) => {
		received = Buffer.concat([received, chunk]);
		const headEnd = received.indexOf("\r\n\r\n");
		if (headEnd < 0) return;
		const head = received.toString("latin1", 0, headEnd);
		if (received.length < headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0)) return;
		received = Buffer.alloc(0);
		const status = STATUS.exec(head)?.[1] ?? "?";
		statuses[status] = (statuses[status] ?? 0) + 1;
		if (again) socket.write(request);
		else socket.destroy();
	});
}

function over(socket: Socket): void {
	sockets.delete(socket);
	open--;
	if (open === 0) tell({ kind: "answered" });
}

process.on("message", (message) => {
	const order = message as CrowdOrder;
	if (order.kind === "job") void prepare(order.job);
	else if (order.kind === "go") for (const socket of sockets) socket.write(request);
	else {
		tell({ kind: "done", statuses });
		for (const socket of sockets) socket.destroy();
		process.disconnect();
	}
});
process.on("SIGINT", () => undefined); // a Ctrl-C is for the trial, which ends this process
process.on("disconnect", () => process.exit(0));
