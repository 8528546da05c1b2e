import type { Book } from "../../../service/src/assembly/rows.ts";
import { takePage } from "../../../service/src/ground/lib/page.ts";
import type { FeedReader } from "../../../service/src/inventory/certificates/feed-reader.ts";
import { type HoldReader, NOTHING_UNDER_REF } from "../../../service/src/inventory/holds/hold-reader.ts";
import type { HoldName } from "../../../service/src/inventory/holds/hold-reader-sql.ts";
import { holdReading } from "../../../service/src/inventory/holds/hold-reply.ts";
import { NO_HOLD } from "../../../service/src/inventory/holds/own-hold.ts";
import type { StockReader, StockSnapshot } from "../../../service/src/inventory/stock/reader.ts";
import type { MemoryEngine } from "./engine.ts";
import type { Rows } from "./rows.ts";

/* The service's readers, on rows in memory. The questions and replies are the service's own. */

/** `catalogMoment`: the moment of the list of products, of a read at a time; in milliseconds since 1970. */
export function createStockReader(
	engine: MemoryEngine,
	rows: Rows,
	catalogMoment: (now: number) => number,
): StockReader {
	const snapshot = (): StockSnapshot => {
		const { now, today, catalog, stock } = engine.open();
		return {
			asOf: now,
			catalogAsOf: catalogMoment(now),
			catalogSettled: Number.MAX_SAFE_INTEGER,
			today,
			catalog,
			lots: (formulaId, poolId) =>
				stock.lots(formulaId, poolId).map((lot) => ({ ...lot, bound: lot.held + lot.allocated })),
			promised: (formulaId, poolId) => stock.promised(formulaId, poolId),
			currentCoa: (slug) => currentCoa(rows, slug),
		};
	};
	return { ask: async (question) => question.answer(snapshot()), drain: async () => undefined };
}

/** The batch of a product's certificate that became current last. */
function currentCoa(rows: Rows, slug: string): string | null {
	const current = [...rows.certificates.values()].filter((one) => one.slug === slug && one.status === "current");
	current.sort((a, b) => (b.publishedAt ?? 0) - (a.publishedAt ?? 0) || (a.certificateId < b.certificateId ? -1 : 1));
	return current[0]?.batchNumber ?? null;
}

export function createHoldReader(engine: MemoryEngine, rows: Rows): HoldReader {
	return {
		async read(name) {
			const book = engine.open();
			const hold = holdNamed(book, name);
			if (hold === undefined) return "token" in name ? NO_HOLD : NOTHING_UNDER_REF;
			const token = hold.reservationToken;
			const endedAt = hold.status === "expired" ? hold.expiresAt : (rows.endedAt.get(token) ?? null);
			return holdReading({ hold, endedAt, orderId: book.orders.byToken.get(token)?.orderId ?? null });
		},
		drain: async () => undefined,
	};
}

/** The hold with this token; or, under a reference, the active one, or else the newest. */
function holdNamed({ holds }: Book, name: HoldName) {
	const own = [...holds.byToken.values()].filter(({ keyId }) => keyId === name.keyId);
	if ("token" in name) return own.find(({ reservationToken }) => reservationToken === name.token);
	const under = own.filter(({ externalRef }) => externalRef === name.externalRef);
	return under.find(({ status }) => status === "active") ?? under.sort(byNewest)[0];
}

type Aged = { readonly createdAt: number; readonly reservationToken: string };
const byNewest = (a: Aged, b: Aged): number =>
	b.createdAt - a.createdAt || (a.reservationToken < b.reservationToken ? 1 : -1);

export function createFeedReader(rows: Rows, now: () => number): FeedReader {
	return {
		async read(_owner, { environment, status, products, updatedSince }, page) {
			const listed = [...rows.certificates.values()]
				.filter(
					(one) =>
						one.version > page.after &&
						one.environment === environment &&
						(status === null || one.status === status) &&
						(products === null || products.includes(one.slug)) &&
						(updatedSince === null || one.updatedAt >= updatedSince),
				)
				.sort((a, b) => a.version - b.version);
			const asOf = rows.certificateNumbers.moment(now());
			return { ...takePage(page, listed, ({ version }) => version), asOf };
		},
		drain: async () => undefined,
	};
}
