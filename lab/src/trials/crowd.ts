import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { killAtLast } from "../ground/last-resort.ts";
import { identify } from "../ground/processes.ts";
import type { CrowdJob, CrowdMessage, CrowdOrder } from "./crowd-process.ts";

/** Many connections in a process of their own. */
export interface Crowd {
	/** Bytes of each request's body. */
	readonly bodyBytes: number;
	go(): void;
	/** Resolves when each connection that sends one request was answered or closed. */
	readonly answered: Promise<unknown>;
	/** Returns how often each status came. */
	stop(): Promise<Readonly<Record<string, number>>>;
}

export async function gather(job: CrowdJob): Promise<Crowd> {
	const child = fork(path.join(import.meta.dirname, "crowd-process.ts"), {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const started = child.pid === undefined ? null : identify(child.pid);
	const forget = started === null ? () => undefined : killAtLast(started);
	const answered = heard(child, "answered");
	answered.catch(() => undefined); // handled by those that await it
	order(child, { kind: "job", job });
	const { bodyBytes } = await heard(child, "ready");
	return {
		bodyBytes,
		answered,
		go: () => order(child, { kind: "go" }),
		stop: async () => {
			const done = heard(child, "done");
			order(child, { kind: "stop" });
			const { statuses } = await done;
			forget();
			return statuses;
		},
	};
}

function order(child: ChildProcess, order: CrowdOrder): void {
	child.send(order);
}

function heard<K extends CrowdMessage["kind"]>(
	child: ChildProcess,
	kind: K,
): Promise<Extract<CrowdMessage, { kind: K }>> {
	return new Promise((resolve, reject) => {
		child.on("message", (message) => {
			if ((message as CrowdMessage).kind === kind) resolve(message as Extract<CrowdMessage, { kind: K }>);
		});
		child.once("exit", (code) => reject(new Error(`a crowd ended with ${code} before it was ${kind}`)));
	});
}
