import type { Holdfast } from "../../client/holdfast.ts";
import type { SandboxRequestQuery } from "../../client/methods.ts";
import type { SandboxRequest } from "../../client/types.ts";
import { command, type Values, wholeNumber } from "../command.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { poll } from "../poll.ts";
import { ACCESS, openClient } from "../settings.ts";
import { print, printLine } from "../terminal.ts";
import { describeRequest, lineOf } from "./describe-request.ts";
import { type First, newsIn, OWN_OPERATION } from "./news.ts";

/** Requests that are shown at the beginning, and the most that can be asked for: those of one page. */
const LIMIT = 20;
const MAX_LIMIT = 500;
/** Seconds between two reads. Each is a request of the key, so it counts against the key's rate. */
const EVERY_SECONDS = 5;
const MAX_SECONDS = 3_600;

const OPTIONS = {
	operation: { type: "string", value: "ID", text: "only of this operation, such as reserve" },
	status: { type: "string", value: "STATUS", text: "only those answered with this status" },
	code: { type: "string", value: "CODE", text: "only those refused with this code" },
	"request-id": { type: "string", value: "ID", text: "this request alone, with both bodies and why it was refused" },
	limit: { type: "string", value: "N", text: `earlier requests to begin with (${LIMIT})` },
	every: { type: "string", value: "SECONDS", text: `seconds between two reads (${EVERY_SECONDS})` },
	once: { type: "boolean", text: "print the earlier ones and end" },
	...ACCESS,
} as const;

export const tail = command({
	takes: [],
	about: [
		"Follows the requests of your sandbox key as the service has logged them, about a second after each reply. Its own reads are",
		"not shown. Ctrl-C ends it. With --json it prints a line for each request.",
	].join("\n"),
	example: "requests tail --code no_inventory",
	options: OPTIONS,
	async run(values) {
		const { json, once } = values;
		const limit = wholeNumber("limit", values.limit ?? String(LIMIT), 1, MAX_LIMIT);
		const every = wholeNumber("every", values.every ?? String(EVERY_SECONDS), 1, MAX_SECONDS);
		// pages of a few requests would take many requests, and each counts against the key's rate
		const query = { ...queryOf(values), limit: Math.max(limit, LIMIT) };
		const holdfast = await openClient(values);
		const id = values["request-id"];
		if (id !== undefined) {
			const request = await readOne(holdfast, id);
			print(request, json, () => describeRequest(request));
			return EXIT.ok;
		}
		const seen = new Set<string>();
		const isShown = ({ operation }: SandboxRequest): boolean =>
			values.operation !== undefined || operation !== OWN_OPERATION;
		let first: First | null = { enough: limit, isShown };
		await poll(every * 1_000, false, async (signal) => {
			const pages = holdfast.sandbox.requests(query, { priority: "low", signal }).pages();
			const news = (await newsIn(pages, seen, first)).filter(isShown);
			for (const request of first === null ? news : news.slice(-limit)) {
				printLine(request, json, () => lineOf(request));
			}
			first = null;
			return once === true ? "done" : "again";
		});
		return EXIT.ok;
	},
});

function queryOf({ operation, status, code }: Values<typeof OPTIONS>): SandboxRequestQuery {
	return {
		...(operation === undefined ? {} : { operation }),
		...(status === undefined ? {} : { status: wholeNumber("status", status, 100, 599) }),
		...(code === undefined ? {} : { code }),
	};
}

async function readOne(holdfast: Holdfast, requestId: string): Promise<SandboxRequest> {
	for await (const request of holdfast.sandbox.requests({ requestId })) return request;
	const why =
		"it is another key's, older than 90 days, or not listed yet: a request is listed about a second after its reply.";
	throw new CommandFailure(EXIT.different, "not_found", `There is no request ${requestId} of this key: ${why}`);
}
