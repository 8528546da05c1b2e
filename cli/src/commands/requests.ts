import type { Command } from "commander";
import { callOperator, type DataOfCall } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, instant, wholeNumber } from "../terminal/options.ts";
import { print, tableOf } from "../terminal/output.ts";

/** Maximum and default number of requests of one answer. */
const MAX_ROWS = 500;
const USUAL_ROWS = 50;
/** HTTP statuses. */
const [LEAST_STATUS, MOST_STATUS] = [100, 599];

interface FilterOptions extends JsonOption {
	readonly key?: string;
	readonly environment?: "live" | "sandbox";
	readonly operation?: string;
	readonly status?: number;
	readonly code?: string;
	readonly q?: string;
	readonly from?: Date;
	readonly to?: Date;
	readonly limit?: number;
	readonly cursor?: string;
}

export function addRequests(program: Command): void {
	const group = program.command("requests").description("what partners asked, and why they were refused");
	addCommand(group, "list", "requests of partners, newest first, refused ones too", "requests list --code no_inventory")
		.option("--key <pk-or-name>", "only of this key")
		.option("--environment <name>", "only of keys of this environment: live or sandbox", choice("live", "sandbox"))
		.option("--operation <id>", "only of this operation, such as reserve")
		.option("--status <n>", "only answered with this status", wholeNumber(LEAST_STATUS, MOST_STATUS))
		.option("--code <code>", "only refused with this code")
		.option("--q <text>", "only with this text in id, path, message, references, address or user agent")
		.option("--from <time>", "only at or after this time", instant)
		.option("--to <time>", "only before this time", instant)
		.option("--limit <n>", `maximum number of requests to show (${USUAL_ROWS})`, wholeNumber(1, MAX_ROWS))
		.option("--cursor <text>", "the next_cursor of the previous answer")
		.action(async ({ json, from, to, ...filters }: FilterOptions) => {
			const times = { from: from?.toISOString(), to: to?.toISOString() };
			const page = await callOperator("list_requests", { query: { limit: USUAL_ROWS, ...filters, ...times } });
			print(page, json, () => requestTable(page));
		});
	addCommand(
		group,
		"show <request-id>",
		"everything that the log has of a request, and why it was refused",
		"requests show req_68bc2ac05ca7ce31dbcadef0",
	).action(async (requestId: string, { json }: JsonOption) => {
		const request = await callOperator("get_request", { params: { request_id: requestId } });
		print(request, json, () => [...describeRequest(request), "", request.curl].join("\n"));
	});
	addCommand(group, "errors", "errors by operation, code and key, the most frequent first", "requests errors")
		.option("--environment <name>", "only of keys of this environment: live or sandbox", choice("live", "sandbox"))
		.option("--from <time>", "since this time (a day ago)", instant)
		.action(async ({ json, from, environment: only }: FilterOptions) => {
			const query = { from: from?.toISOString(), environment: only };
			const errors = await callOperator("list_request_errors", { query });
			print(errors, json, () => errorTable(errors));
		});
}

type Request = DataOfCall<"get_request">;

const keyOf = ({ key, key_name: name, partner }: Pick<Request, "key" | "key_name" | "partner">): string =>
	name === null ? (key ?? "nobody") : `${partner}/${name}`;

function requestTable({ items, next_cursor: next }: DataOfCall<"list_requests">): string {
	const more = next === null ? [] : ["", `Further back with --cursor ${next}`];
	if (items.length === 0) return ["No requests.", ...more].join("\n");
	const shown = tableOf(items, {
		AT: "at",
		KEY: keyOf,
		OPERATION: "operation",
		STATUS: "status",
		CODE: "code",
		MS: "ms",
		ABOUT: ({ about }) => about.join(" ") || null,
		REQUEST: "request_id",
	});
	return [shown, ...more].join("\n");
}

function errorTable({ since, items }: DataOfCall<"list_request_errors">): string {
	if (items.length === 0) return `No errors since ${since}.`;
	return tableOf(items, {
		ERRORS: "count",
		OPERATION: "operation",
		CODE: "code",
		KEY: keyOf,
		"LAST AT": "last_at",
		"LAST REQUEST": "last_request_id",
	});
}

/** A request in words, without its curl. */
export function describeRequest(request: Request): string[] {
	const { method, url, at, status, code, ms, explanation } = request;
	return [
		`${method} ${url} at ${at}, ${keyOf(request)}, ${request.address}`,
		`${request.operation} answered ${status}${code === null ? "" : ` ${code}`} in ${ms} ms, API date ${request.date_used}`,
		...(request.about.length === 0 ? [] : [`about ${request.about.join(", ")}`]),
		...(explanation.length === 0 ? [] : ["", ...explanation]),
		...(request.body === null ? [] : ["", "sent:", request.body]),
		...(request.reply === null ? [] : ["", "answered:", request.reply]),
	];
}
