import type { Static } from "typebox";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { readPage, readSince, takePage, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { ListOwnOrders } from "./contract.ts";
import { selectOwnOrders } from "./list-own-orders-sql.ts";
import type { ListDeps } from "./list-shipments.ts";
import { type OrderReply, orderReply } from "./order-reply.ts";

type OwnListDeps = Pick<ListDeps, "links" | "cursors" | "pages"> & { readonly readDb: Query };

type Asked = Static<(typeof ListOwnOrders)["query"]>;
type OrderPage = ReturnType<typeof writePage<unknown, OrderReply>>;

/** A page of the key's own orders in the order of their changes; a reader that follows the cursor misses none. */
export const listOwnOrders = (
	deps: OwnListDeps,
	caller: Caller,
	asked: Asked,
): Promise<OrderPage | Refusal<"invalid_input" | "rate_limited">> =>
	deps.pages.take(caller.keyId, () => patiently(() => readOwnOrders(deps, caller, asked)));

async function readOwnOrders(
	{ readDb, links, cursors }: OwnListDeps,
	{ keyId }: Caller,
	asked: Asked,
): Promise<OrderPage | Refusal<"invalid_input">> {
	const { external_order_id, status, placed_after } = asked;
	const page = readPage(cursors, asked, [keyId, "orders", external_order_id, status, placed_after]);
	if (isRefusal(page)) return page;
	const after = readSince("placed_after", placed_after);
	if (isRefusal(after)) return after;
	const { rows, asOfMs, scanEnd } = await selectOwnOrders(readDb, page, {
		keyId,
		externalOrderId: external_order_id ?? null,
		status: status ?? null,
		placedAfter: after === undefined ? null : toRfc3339(after),
	});
	const taken = takePage(page, rows, ({ modifiedSeq }) => modifiedSeq);
	const listed = scanEnd === null || taken.hasMore ? taken : { ...taken, hasMore: true, last: scanEnd };
	return writePage(page, listed, ({ record }) => orderReply(record, links), asOfMs);
}
