/**
 * A process that attacks a service, separate so that it does not slow the measurement. Its parent sends one job; the
 * process attacks until it is told to stop, then returns how often each status came and how often connections were
 * closed on it.
 */
import { connect, createServer, type Socket } from "node:net";

export interface AttackJob {
	readonly port: number;
	/** Local addresses to connect from, in turn. */
	readonly from: readonly string[];
	readonly connections: number;
	/** What is written on each connection: the text of requests and its repetitions. Empty: nothing. */
	readonly text: string;
	readonly times: number;
	/** Whether it reads answers. */
	readonly reads: boolean;
	/** Milliseconds between two rounds: closed connections are opened again, and each is written to again. */
	readonly everyMs: number;
	/** A receiver on this port sends this text over and over, as fast as it is read; null: none. */
	readonly pour: { readonly port: number; readonly text: string } | null;
}

export type AttackOrder = { readonly kind: "attack"; readonly job: AttackJob } | { readonly kind: "stop" };
/** Statuses, and `hung up`. */
export type AttackCounts = Readonly<Record<string, number>>;

const MOST_CHUNK = 16_384;
const open = new Set<Socket>();
const counts: Record<string, number> = {};
const count = (what: string): void => {
	counts[what] = (counts[what] ?? 0) + 1;
};

function dial(job: AttackJob, at: number): Socket {
	const localAddress = job.from[at % job.from.length];
	const socket = connect({
		port: job.port,
		host: "127.0.0.1",
		...(localAddress === undefined ? {} : { localAddress }),
	});
	open.add(socket);
	socket.on("error", () => undefined);
	socket.once("close", () => {
		count("hung up");
		open.delete(socket);
	});
	if (job.reads) {
		socket.on("data", (chunk) => {
			for (const [, status = ""] of chunk.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3})/g)) count(status);
		});
	}
	return socket;
}

function attack(job: AttackJob): void {
	if (job.pour !== null) pourAt(job.pour);
	const bytes = job.text.repeat(job.times);
	const places: (Socket | undefined)[] = Array.from({ length: job.connections });
	const round = (): void => {
		for (const [at, socket] of places.entries()) {
			const live = socket === undefined || socket.destroyed ? dial(job, at) : socket;
			places[at] = live;
			if (bytes !== "" && live.writableLength === 0) live.write(bytes);
		}
	};
	round();
	setInterval(round, job.everyMs);
}

function pourAt({ port, text }: { readonly port: number; readonly text: string }): void {
	const chunk = text.repeat(Math.ceil(MOST_CHUNK / text.length));
	createServer((socket) => {
		const more = (): void => {
			while (!socket.destroyed && socket.write(chunk));
		};
		socket.on("error", () => undefined);
		socket.on("drain", more);
		socket.once("data", more);
	}).listen(port, "127.0.0.1");
}

process.on("message", (message) => {
	const order = message as AttackOrder;
	if (order.kind === "attack") return attack(order.job);
	process.send?.({ ...counts, "still open": open.size }, () => process.exit(0));
});
process.on("SIGINT", () => undefined); // a Ctrl-C is for the trial, which ends this process
process.on("disconnect", () => process.exit(0));
