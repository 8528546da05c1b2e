import { drawOf, isUnknownBrand } from "../catalog/brand.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import type { Caller } from "../keys/key.ts";
import { readPage, readSince, takePage, writePage } from "../lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { findOrder } from "./find-order.ts";
import { selectShipments, toListedShipment } from "./find-order-sql.ts";
import type { Links } from "./order-book.ts";
import type { ShipmentStatus } from "./shipment.ts";
import { type ShipmentReply, shipmentReply } from "./shipment-reply.ts";

interface ListDeps {
	readonly db: Query;
	readonly catalog: CatalogCache;
	readonly links: Links;
}

interface Asked {
	readonly modified_since?: string;
	readonly status?: ShipmentStatus;
	readonly order_ref?: string;
	readonly brand_code?: string;
	readonly limit?: number;
	readonly cursor?: string;
}

/** A page of the boxes of this key's brand, in the order of their changes, so that a reader who follows the cursor misses nothing. */
export async function listShipments(
	{ db, catalog, links }: ListDeps,
	caller: Caller,
	asked: Asked,
): Promise<
	| ReturnType<typeof writePage<unknown, ShipmentReply>>
	| Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">
> {
	const { modified_since, status, order_ref, brand_code } = asked;
	const page = readPage(asked, [caller.keyId, modified_since, status, order_ref, brand_code]);
	if (isRefusal(page)) return page;
	const since = readSince("modified_since", modified_since);
	if (isRefusal(since)) return since;
	const poolId = await poolOf(db, catalog, caller, brand_code);
	if (isRefusal(poolId)) return poolId;
	const order = order_ref === undefined ? undefined : await findOrder(db, caller, order_ref);
	// a reference that names none of the key's orders filters everything out
	const orderId = order === undefined ? null : isRefusal(order) ? NO_ORDER : order.orderId;
	const modifiedSince = since === undefined ? null : new Date(since).toISOString();
	const filter = { poolId, modifiedSince, status: status ?? null, orderId };
	const { rows, asOfMs } = await selectShipments(db, page, filter);
	const listed = takePage(page, rows.map(toListedShipment), ({ modifiedSeq }) => modifiedSeq);
	return writePage(page, listed, ({ record }) => shipmentReply(record, links), asOfMs);
}

/** The id of no order. */
const NO_ORDER = "00000000-0000-0000-0000-000000000000";

/** The pool of the brand that is asked about: the key's own, or, for an unbound key, the one it names (settlements, section 7). */
async function poolOf(
	db: Query,
	cache: CatalogCache,
	caller: Caller,
	brandCode: string | undefined,
): Promise<number | Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">> {
	if (caller.poolId === null && brandCode === undefined) {
		return refuse("invalid_input", "/brand_code: required of a key that is bound to no brand.");
	}
	const known = drawOf(caller, brandCode, cache.guess());
	// a brand that came since the catalogue was last read
	const draw = isUnknownBrand(known) ? drawOf(caller, brandCode, await cache.read(db)) : known;
	if (isRefusal(draw)) return draw;
	if (isUnknownBrand(draw))
		return refuse("unknown_brand_code", `there is no brand ${JSON.stringify(draw.unknownBrand)}`);
	return draw.pools[0] ?? 0;
}
