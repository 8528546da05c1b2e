import { coaDocument, keyedSurface, partnerDocument } from "../../../service/src/assembly/keyed-surfaces.ts";
import type { Cursors } from "../../../service/src/ground/lib/cursor.ts";
import { createTurns } from "../../../service/src/ground/lib/turns.ts";
import type { Database } from "../../../service/src/ground/pg/connect.ts";
import type { CatalogCache } from "../../../service/src/inventory/catalog/cache.ts";
import type { CoaLinks } from "../../../service/src/inventory/certificates/record.ts";
import { routes as certificateRoutes } from "../../../service/src/inventory/certificates/routes.ts";
import { routes as holdRoutes } from "../../../service/src/inventory/holds/routes.ts";
import { openLabelGate } from "../../../service/src/inventory/orders/label-gate.ts";
import type { Links } from "../../../service/src/inventory/orders/order-book.ts";
import { routes as orderRoutes } from "../../../service/src/inventory/orders/routes.ts";
import { routes as stockRoutes } from "../../../service/src/inventory/stock/routes.ts";
import type { Operation } from "../../../service/src/partners/http/operation.ts";
import type { RateLimit } from "../../../service/src/partners/http/rate-limit.ts";
import type { Authenticate } from "../../../service/src/partners/keys/authenticate.ts";
import type { CachedKey, KeyCache } from "../../../service/src/partners/keys/key-cache.ts";
import type { KeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import { routes as keyRoutes } from "../../../service/src/partners/keys/routes.ts";
import { routes as versionRoutes } from "../../../service/src/partners/versions/routes.ts";
import type { MadeCatalog } from "./catalog.ts";
import { createFileStore } from "./certificates.ts";
import type { Door } from "./door.ts";
import { type MemoryEngine, TIME_ZONE } from "./engine.ts";
import { goLiveOperations } from "./golive-operations.ts";
import { prepaidOperation } from "./prepaid-operation.ts";
import { createFeedReader, createHoldReader, createStockReader } from "./readers.ts";
import { requestOperation } from "./request-operation.ts";
import { ListNumbers, type Rows } from "./rows.ts";
import { sandboxOperations } from "./sandbox.ts";
import { webhookOperations } from "./webhook-operations.ts";

export interface OperationMeans extends MadeCatalog {
	readonly rows: Rows;
	readonly engine: MemoryEngine;
	readonly db: Database;
	readonly links: Links & CoaLinks;
	/** Where the COA address would be. */
	readonly coaUrl: string;
	readonly cursors: Cursors;
	readonly ring: KeyRing;
	readonly keys: KeyCache;
	/** The key as it is now. */
	readonly key: () => CachedKey;
	readonly authenticate: Authenticate;
	readonly rateLimit: RateLimit;
	/** When the catalogue was made, and the clock; milliseconds since 1970. */
	readonly start: number;
	readonly now: () => number;
}

/** Mounts every operation of the partner API and of the COA address. */
export function mountOperations(door: Door, means: OperationMeans): void {
	const { rows, engine, db, links, catalog, cursors, now } = means;
	const numbers = new ListNumbers();
	numbers.take(means.start);
	const reader = createStockReader(engine, rows, (at) => numbers.moment(at));
	const cache: CatalogCache = { guess: () => catalog, read: async () => catalog };
	const pages = createTurns();
	const reads = { read: <T>(_owners: readonly string[], work: (on: typeof db) => Promise<T>) => work(db) };
	const lists = { readDb: db, catalog: cache, catalogOf: () => cache, reads, pages, cursors, links };

	const partner = door.gate(keyedSurface(partnerDocument(), means.authenticate));
	versionRoutes(partner);
	stockRoutes(partner, {
		...lists,
		reader,
		listReader: reader,
		config: { timeZone: TIME_ZONE, coa: { required: false } },
	});
	holdRoutes(partner, { engine, holdReader: createHoldReader(engine, rows), config: { maxTtlMinutes: null } });
	orderRoutes(partner, { ...lists, engine, labels: openLabelGate });
	webhookOperations(partner, means);
	prepaidOperation(partner, means);
	keyRoutes(partner, means);
	sandboxOperations(partner, means, { engine, links, readDb: db });
	goLiveOperations(partner);
	const operations = new Map<string, Operation>();
	requestOperation(partner, { ...means, operations });

	const feed = door.gate(keyedSurface(coaDocument(), means.authenticate));
	certificateRoutes(feed, {
		readDb: db,
		keylessReads: createTurns(),
		feed: createFeedReader(rows, now),
		cursors,
		files: createFileStore(rows),
		coaLinks: { ...links, feedUrl: (query) => `${means.coaUrl}/api/partner/v1/coa?${query}` },
		config: { coa: { name: null, logo: null, colour: "#1f6f4a", contact: null } },
	});
	for (const one of [...partner.operations, ...feed.operations]) operations.set(one.id, one);
}
