import type { Cursors } from "../../ground/lib/cursor.ts";
import { readPage, takePage, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Caller } from "../http/caller.ts";
import { type EndpointReply, endpointReply } from "./endpoint.ts";
import { selectEndpoints, toEndpoint } from "./endpoint-sql.ts";

export interface HookPageDeps {
	readonly readDb: Query;
	readonly pages: Turns;
	readonly cursors: Cursors;
}

export interface AskedPage {
	readonly limit?: number;
	readonly cursor?: string;
}

type EndpointPage = ReturnType<typeof writePage<unknown, EndpointReply>>;

/** The endpoints of the caller's partner and environment, in the order of their changes. */
export const listEndpoints = (
	{ readDb, pages, cursors }: HookPageDeps,
	caller: Caller,
	asked: AskedPage,
): Promise<EndpointPage | Refusal<"invalid_input" | "rate_limited">> =>
	pages.take(caller.keyId, () =>
		patiently(async () => {
			const page = readPage(cursors, asked, [caller.keyId, "webhook-endpoints"]);
			if (isRefusal(page)) return page as Refusal<"invalid_input">;
			const { rows, asOfMs } = await selectEndpoints(readDb, page, [caller.partnerId, caller.environment]);
			const listed = takePage(page, rows.map(toEndpoint), ({ version }) => version);
			return writePage(page, listed, endpointReply, asOfMs);
		}),
	);
