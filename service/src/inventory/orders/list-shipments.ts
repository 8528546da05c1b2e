import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Cursors } from "../../ground/lib/cursor.ts";
import { readPage, readSince, takePage, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Reads } from "../../ground/pg/reads.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { drawOfBrand } from "../catalog/brand.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import type { ListShipments } from "./contract.ts";
import { findOrder } from "./find-order.ts";
import { selectShipments, toListedShipment } from "./find-order-sql.ts";
import type { Links } from "./order-book.ts";
import { type ShipmentReply, shipmentReply } from "./shipment-reply.ts";

export interface ListDeps {
	readonly reads: Pick<Reads, "read">;
	/** The catalogue as the server of this connection has it: the primary or the replica. */
	readonly catalogOf: (on: Query) => CatalogCache;
	readonly links: Links;
	readonly cursors: Cursors;
	/** Serializes page reads, with fair shares per key, because pages are large. */
	readonly pages: Turns;
}

type Asked = Static<(typeof ListShipments)["query"]>;

type Refused = Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">;
type ShipmentPage = ReturnType<typeof writePage<unknown, ShipmentReply>>;

/** A page of the brand's boxes in the order of changes; a reader that follows the cursor misses none. */
export const listShipments = (
	deps: ListDeps,
	caller: Caller,
	asked: Asked,
): Promise<ShipmentPage | Refused | Refusal<"rate_limited">> =>
	deps.pages.take(caller.keyId, () =>
		patiently(() => deps.reads.read([caller.keyId], (on) => readShipments(on, deps, caller, asked))),
	);

async function readShipments(
	db: Query,
	{ catalogOf, links, cursors }: ListDeps,
	caller: Caller,
	asked: Asked,
): Promise<ShipmentPage | Refused> {
	const { modified_since, status, order_ref, brand_code } = asked;
	const page = readPage(cursors, asked, [caller.keyId, modified_since, status, order_ref, brand_code]);
	if (isRefusal(page)) return page;
	const since = readSince("modified_since", modified_since);
	if (isRefusal(since)) return since;
	const order = order_ref === undefined ? undefined : await findOrder(db, caller, order_ref);
	const own = order !== undefined && !isRefusal(order);
	const poolId = await poolOf(db, catalogOf(db), caller, brand_code, own);
	if (isRefusal(poolId)) return poolId;
	const filter = {
		poolId,
		modifiedSince: since === undefined ? null : toRfc3339(since),
		status: status ?? null,
		// a reference to an order that is not the key's own matches no box
		orderId: order === undefined ? null : own ? order.orderId : NO_ORDER,
	};
	const { rows, asOfMs } = await selectShipments(db, page, filter);
	const listed = takePage(page, rows.map(toListedShipment), ({ modifiedSeq }) => modifiedSeq);
	return writePage(
		page,
		listed,
		({ partnerId, record }) => shownTo(caller, partnerId, shipmentReply(record, links)),
		asOfMs,
	);
}

/** Hides references and address of another partner's orders (settlements, section 13). */
function shownTo(caller: Caller, partnerId: string, box: ShipmentReply): ShipmentReply {
	if (partnerId === caller.partnerId) return box;
	const orders = box.orders.map((order) => ({ ...order, ref: null, external_order_id: null }));
	return { ...box, orders, ship_to: null };
}

const NO_ORDER = "00000000-0000-0000-0000-000000000000";

/**
 * The pool to list: of the key's own brand, or of the brand that an unbound key names (settlements, section 7). Null:
 * only boxes of one of the key's own orders are requested, which may have no brand.
 */
async function poolOf(
	db: Query,
	catalog: CatalogCache,
	caller: Caller,
	brandCode: string | undefined,
	ofOwnOrder: boolean,
): Promise<number | null | Refused> {
	if (ofOwnOrder && brandCode === undefined) return null;
	const draw = drawOfBrand(caller, brandCode, await catalog.read(db));
	return isRefusal(draw) ? draw : must(draw.pools[0], "the brand's pool");
}
