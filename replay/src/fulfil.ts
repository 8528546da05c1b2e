import type { OrderAnswer } from "./answers.ts";
import { auditEvents, auditOrder, boxesOf, type EventSeen, toEvent } from "./audit-orders.ts";
import type { Books } from "./books.ts";
import type { Catalogue } from "./catalogue.ts";
import { inOrder } from "./drive.ts";
import { missedBy, nameOf, openReaders, type Reader, type TableRow } from "./feeds.ts";
import type { GoodsIn } from "./goods-in.ts";
import type { Client } from "./http.ts";
import { Operator } from "./operator.ts";
import type { OrderFile } from "./order-file.ts";
import { type LotPlace, Lots } from "./order-shares.ts";
import { Ordering } from "./ordering.ts";
import { Recalls } from "./recalls.ts";
import { BOXES, EVENTS, HAS_RECEIPTS, QUARANTINED, RECEIPTS } from "./sql.ts";
import type { Stock } from "./stock.ts";
import { OrderTally, type Tally } from "./tally.ts";
import { Warehouse } from "./warehouse.ts";
import { recallsOf } from "./work.ts";

/** Concurrent requests while all orders are read. */
const IN_FLIGHT = 16;
/** Events read at a time. */
const EVENTS_PAGE = 500;

export interface FulfilmentDeps {
	readonly seed: number;
	readonly rough: boolean;
	readonly client: Client;
	readonly books: Books;
	readonly tally: Tally;
	readonly catalogue: Catalogue;
	readonly stock: Stock;
	readonly goodsIn: GoodsIn;
	/** Formula code to the service's id. */
	readonly idOf: ReadonlyMap<string, string>;
	readonly tokenOf: ReadonlyMap<string, string>;
	/** The lots as imported. */
	readonly imported: readonly LotPlace[];
	/** The addresses of the service's database and of its COA surface. */
	readonly databaseUrl: string;
	readonly coaUrl: string;
	/** Receives the goods waiting in goodsIn. */
	readonly receive: () => Promise<void>;
}

/** The final state of a list's reader. */
export interface ReaderReport {
	readonly reader: string;
	readonly pages: number;
	/** Rows received, repetitions included; distinct ones; rows in the tables. */
	readonly received: number;
	readonly rows: number;
	readonly in_tables: number;
}

/** The result of the orders. */
export interface OrdersReport {
	readonly by_status: Readonly<Record<string, number>>;
	/** Orders that were shipped in several boxes and have nothing left. */
	readonly shipped_in_parts_and_done: number;
	readonly boxes: Readonly<Record<string, number>>;
	readonly held_by_recall_at_the_end: number;
	readonly events: Readonly<Record<string, number>>;
	readonly readers: readonly ReaderReport[];
}

/**
 * Everything that `--fulfil` adds: partners order, the warehouse works, lots are recalled, readers follow the lists.
 */
export class Fulfilment {
	readonly ordering: Ordering;
	readonly warehouse: Warehouse;
	readonly lots = new Lots();
	readonly #deps: FulfilmentDeps;
	readonly #files = new Map<string, OrderFile>();
	readonly #count = new OrderTally();
	readonly #operator: Operator;
	readonly #recalls: Recalls;
	#readers: Reader[] = [];
	#following: Promise<unknown> = Promise.resolve();
	#over = false;

	constructor(deps: FulfilmentDeps) {
		const { seed, tally, books, stock, goodsIn, idOf, receive } = deps;
		this.#deps = deps;
		const files = this.#files;
		const lots = this.lots;
		const count = this.#count;
		for (const lot of deps.imported) lots.add(lot);
		tally.orders = count;
		const tokenOf = (orderId: string): string => (files.get(orderId) as OrderFile).token;
		const operator = new Operator(deps.databaseUrl, deps.coaUrl, tokenOf, deps.rough);
		this.#operator = operator;
		const arrived = (file: OrderFile): void => this.warehouse.arrived(file);
		this.ordering = new Ordering({ seed, books, lots, tally, count, files, arrived });
		const formulasOf = (file: OrderFile): string[] => this.#formulasOf(file);
		this.warehouse = new Warehouse({ seed, operator, files, count, formulasOf });
		const { ordering, warehouse } = this;
		const rounds = recallsOf(stock, seed);
		this.#recalls = new Recalls({
			seed,
			rounds,
			operator,
			ordering,
			warehouse,
			files,
			lots,
			idOf,
			count,
			goodsIn,
			receive,
		});
	}

	/** Starts the readers at the first row of their lists. */
	async begin(): Promise<void> {
		const { client, tokenOf, tally, rough } = this.#deps;
		this.#readers = await openReaders(client, tokenOf, tally, rough);
		this.#following = Promise.all(this.#readers.map((reader) => reader.follow(() => this.#over)));
		this.#following.catch(() => undefined); // handled by those that await it
	}

	/** Rejects when the warehouse or a reader cannot continue. */
	get failed(): Promise<never> {
		const reading = this.#following.then(() => new Promise<never>(() => undefined));
		return Promise.race([this.warehouse.failed, reading]);
	}

	/** Called when another invoice begins; `share` of them (0 to 1) have begun. */
	turn(share: number): void {
		this.warehouse.turn();
		this.#recalls.turn(share);
	}

	/** After the last order: finishes the waiting work of the warehouse, and recalls the last lots. */
	async finish(progress: (share: number) => void): Promise<void> {
		await this.warehouse.finish(progress);
		await this.#recalls.finish();
		await this.warehouse.finish(progress);
	}

	/** Reads every order, every event and every row of the lists, and returns the result. */
	async audit(progress: (share: number) => void): Promise<OrdersReport> {
		this.#over = true;
		await this.#following;
		await this.#bookRecalls();
		const orders = await this.#readOrders(progress);
		const events = await this.#readEvents();
		const { tally } = this.#deps;
		for (const fault of auditEvents(events, orders, this.#files)) tally.fault(fault);
		const readers = await this.#auditReaders();
		await this.#operator.close();
		const last = [...orders.values()];
		const boxes = boxesOf(last);
		return {
			by_status: countBy(last, ({ status }) => status),
			shipped_in_parts_and_done: last.filter(isShippedInParts).length,
			boxes: countBy(boxes, ({ status }) => status),
			held_by_recall_at_the_end: last.filter(({ hold_reason }) => hold_reason === "lot_recalled").length,
			events: countBy(events, ({ type }) => type),
			readers,
		};
	}

	/** Books everything that recalls took out of sale, including units of voided boxes. */
	async #bookRecalls(): Promise<void> {
		const { books, stock, seed, idOf } = this.#deps;
		const places = recallsOf(stock, seed)
			.flat()
			.map((lot) => this.lots.byBatch(idOf.get(lot.formula) as string, lot.batch_number) as LotPlace);
		const rows = await this.#operator.rows<{ fg_id: string; units: number }>(QUARANTINED, [
			places.map(({ fgId }) => fgId),
		]);
		for (const { fg_id, units } of rows) {
			const place = this.lots.byId(fg_id) as LotPlace;
			books.quarantined(place.formulaId, place.pool, units);
			this.#count.unitsRecalled += units;
		}
	}

	/** Reads all orders by id, and books what each reports. */
	async #readOrders(progress: (share: number) => void): Promise<Map<string, OrderAnswer>> {
		const orders = new Map<string, OrderAnswer>();
		const files = [...this.#files.values()];
		await inOrder(files, IN_FLIGHT, async (file) => {
			const answer = await file.partner.findOrder(file.ref);
			if (!answer.ok) return; // already counted as a fault: only 200 is expected
			orders.set(file.orderId, answer.data);
			this.ordering.told(answer.data);
			for (const fault of auditOrder(file, answer.data)) this.#deps.tally.fault(fault);
			progress(orders.size / files.length);
		});
		return orders;
	}

	async #readEvents(): Promise<EventSeen[]> {
		const events: EventSeen[] = [];
		for (let last = 0; ; ) {
			const page = await this.#operator.rows<{ seq: number; body: string }>(EVENTS, [last, EVENTS_PAGE]);
			events.push(...page.map(({ body }) => toEvent(body)));
			const seq = page.at(-1)?.seq;
			if (seq === undefined) return events;
			last = seq;
		}
	}

	async #auditReaders(): Promise<ReaderReport[]> {
		const { tally, catalogue } = this.#deps;
		const [receipts] = await this.#operator.rows<{ there: boolean }>(HAS_RECEIPTS);
		const tables: Record<Reader["reading"]["list"], TableRow[]> = {
			shipments: await this.#operator.rows<TableRow>(BOXES),
			receipts: receipts?.there ? await this.#operator.rows<TableRow>(RECEIPTS) : [],
			products: [],
		};
		return this.#readers.map((reader) => {
			const { list, brand } = reader.reading;
			const products = [...catalogue.articles.keys()].map((id) => ({ id, brand_code: brand }));
			const table = list === "products" ? products : tables[list].filter(({ brand_code }) => brand_code === brand);
			for (const fault of missedBy(reader, table)) tally.fault(fault);
			return {
				reader: nameOf(reader.reading),
				pages: reader.pages,
				received: reader.received,
				rows: reader.rows.size,
				in_tables: table.length,
			};
		});
	}

	#formulasOf({ lines }: OrderFile): string[] {
		const { catalogue, idOf } = this.#deps;
		const codes = lines.flatMap(({ sku }) => catalogue.articles.get(sku)?.components ?? []);
		return [...new Set(codes.map(({ formula }) => idOf.get(formula) as string))];
	}
}

const isShippedInParts = ({ status, shipments }: OrderAnswer): boolean =>
	status === "shipped" && shipments.filter((box) => box.status === "shipped").length > 1;

function countBy<T>(values: readonly T[], wordOf: (value: T) => string): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[wordOf(value)] = (counts[wordOf(value)] ?? 0) + 1;
	return counts;
}
