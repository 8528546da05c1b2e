import type { Cursors } from "../../ground/lib/cursor.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Reads } from "../../ground/pg/reads.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import { check } from "./check.ts";
import { Check, Inventory, Products, Receipts, Summary } from "./contract.ts";
import { inventory } from "./inventory.ts";
import { listProducts } from "./list-products.ts";
import { listReceipts } from "./list-receipts.ts";
import { listSummary } from "./list-summary.ts";
import type { StockReader } from "./reader.ts";

export interface StockDeps {
	readonly reader: StockReader;
	/** For lists, which a replica may answer. */
	readonly listReader: StockReader;
	readonly reads: Pick<Reads, "read">;
	/** The catalogue as the server of this connection has it: the primary or the replica. */
	readonly catalogOf: (on: Query) => CatalogCache;
	readonly pages: Turns;
	readonly cursors: Cursors;
	readonly links: { readonly verifyUrl: (batchNumber: string) => string };
	readonly config: { readonly timeZone: string; readonly coa: { readonly required: boolean } };
}

export function routes(
	gate: Gate,
	{ reader, listReader, reads, catalogOf, pages, cursors, links, config: { timeZone, coa } }: StockDeps,
): void {
	mount(gate, Check, async ({ caller, body }) => ok(await check(reader, caller, body.items)));
	mount(gate, Inventory, async ({ caller, query }) => ok(await inventory(reader, caller, query)));
	const lists = { reader: listReader, reads, cursors };
	mount(gate, Products, async ({ caller, query }) => ok(await listProducts(lists, links, caller, query)));
	mount(gate, Summary, async ({ caller, query }) => ok(await listSummary(lists, caller, query)));
	mount(gate, Receipts, async ({ caller, query }) =>
		ok(
			await listReceipts(
				{ reads, catalogOf, pages, cursors, timeZone, certificatesRequired: coa.required },
				caller,
				query,
			),
		),
	);
}
