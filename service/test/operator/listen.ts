import { type ClientRequest, request } from "node:http";
import { must } from "../../src/ground/lib/assert.ts";
import type { As } from "../operate.ts";

interface Told {
	readonly topic: string;
	readonly id: string;
	readonly version: number;
}

/** One stream of `GET /live`, read by the rules of server-sent events. */
export interface Listening {
	readonly changes: readonly Told[];
	/** Topics of the `reload` events. */
	readonly reloads: readonly string[];
	/** The id of the last event. */
	readonly lastId: string | null;
	/** Resolves when the service has ended the stream. */
	readonly ended: Promise<void>;
	/** Closes the connection. */
	hangUp(): void;
}

/** Opens a stream, and resolves when it has sent its first id or, with `after`, when it has begun. */
export async function listen(as: As, after?: string): Promise<Listening> {
	const changes: Told[] = [];
	const reloads: string[] = [];
	let lastId: string | null = null;
	const begun = Promise.withResolvers<void>();
	const ended = Promise.withResolvers<void>();
	const take = (block: string): void => {
		const fields = new Map(
			block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]),
		);
		const data = fields.get("data");
		if (data !== undefined && fields.get("event") === "reload") reloads.push(JSON.parse(data).topic);
		else if (data !== undefined) changes.push(JSON.parse(data));
		lastId = fields.get("id") ?? lastId;
		if (lastId !== null || after !== undefined) begun.resolve();
	};
	const call = open(as, after, (status, chunks) => {
		if (status !== 200) return begun.reject(new Error(`answered ${status}`));
		let rest = "";
		chunks.on("data", (chunk: string) => {
			const blocks = (rest + chunk).split("\n\n");
			rest = must(blocks.pop(), "the rest");
			for (const block of blocks) take(block);
		});
		chunks.on("end", ended.resolve);
		chunks.on("error", () => ended.resolve());
	});
	call.on("error", (error) => {
		begun.reject(error);
		ended.resolve();
	});
	await begun.promise;
	return {
		changes,
		reloads,
		get lastId() {
			return lastId;
		},
		ended: ended.promise,
		hangUp: () => call.destroy(),
	};
}

function open(
	as: As,
	after: string | undefined,
	on: (status: number | undefined, chunks: NodeJS.ReadableStream) => void,
): ClientRequest {
	const at =
		"socket" in as ? { socketPath: as.socket } : { host: new URL(as.api).hostname, port: new URL(as.api).port };
	const headers = {
		...("token" in as && as.token !== null ? { authorization: `Bearer ${as.token}` } : {}),
		...(after === undefined ? {} : { "last-event-id": after }),
	};
	const call = request({ ...at, path: "/admin/api/v1/live", headers, agent: false });
	call.on("response", (response) => on(response.statusCode, response.setEncoding("utf8")));
	return call.end();
}
