import { setTimeout as sleep } from "node:timers/promises";
import type { PageAnswer } from "./answers.ts";
import { AGENT, type Channel, EXPORT, NORTH_2, SOUTH, WEB, WHOLESALE } from "./channels.ts";
import { type Client, ConnectionLost } from "./http.ts";
import type { Tally } from "./tally.ts";

/** Milliseconds between two looks at a list whose end was reached. */
const LOOK_EVERY_MS = 150;
/** Milliseconds before a page that was not answered is asked for again. */
const AGAIN_MS = 200;
/** A page that has had no answer for this long ends the run. Milliseconds. */
const PATIENCE_MS = 120_000;

/** One reader of one list: whose key, which brand it names where it must, and how much it reads at a time. */
export interface Reading {
	readonly list: "shipments" | "products" | "receipts";
	readonly channel: Channel;
	/** The brand whose rows it sees. */
	readonly brand: string | null;
	readonly limit: number;
}

/** Some read each row by itself, some as many as there may be on a page. */
const READINGS: readonly Reading[] = [
	{ list: "shipments", channel: WEB, brand: "WEB", limit: 7 },
	{ list: "shipments", channel: WEB, brand: "WEB", limit: 500 },
	{ list: "shipments", channel: EXPORT, brand: "EXPORT", limit: 100 },
	{ list: "shipments", channel: NORTH_2, brand: "NORTH", limit: 13 },
	{ list: "shipments", channel: AGENT, brand: "NORTH", limit: 50 },
	{ list: "shipments", channel: SOUTH, brand: "SOUTH", limit: 1 },
	{ list: "products", channel: WEB, brand: "WEB", limit: 37 },
	{ list: "products", channel: WHOLESALE, brand: null, limit: 500 },
	{ list: "receipts", channel: EXPORT, brand: "EXPORT", limit: 3 },
	{ list: "receipts", channel: NORTH_2, brand: "NORTH", limit: 500 },
];

/** The parts of a row that tell it from others, and an older state of it from a later one. */
interface ListedRow {
	readonly sku?: string;
	readonly shipment_id?: string;
	readonly receipt_id?: string;
	readonly version?: number;
}

const idOf = ({ sku, shipment_id, receipt_id }: ListedRow): string => shipment_id ?? receipt_id ?? sku ?? "";

/** Follows a list from its first row on, as docs/partner/shipments.md tells a reader to. */
export class Reader {
	readonly reading: Reading;
	/** Rows as last told, by id. */
	readonly rows = new Map<string, ListedRow>();
	/** Rows that came, those that came again included. */
	received = 0;
	pages = 0;
	readonly #client: Client;
	readonly #token: string;
	readonly #tally: Tally;
	/** Are 5xx answers to be expected, because somebody is killing processes? */
	readonly #rough: boolean;
	#cursor = "";

	constructor(reading: Reading, client: Client, token: string, tally: Tally, rough: boolean) {
		this.reading = reading;
		this.#client = client;
		this.#token = token;
		this.#tally = tally;
		this.#rough = rough;
	}

	/** Reads until a page that was asked for after `over` said so ends the list. */
	async follow(over: () => boolean): Promise<void> {
		for (;;) {
			const last = over();
			const page = await this.#page();
			this.pages += 1;
			for (const row of page.items) this.#take(row);
			this.#cursor = page.next_cursor;
			if (page.has_more) continue;
			if (last) return;
			await sleep(LOOK_EVERY_MS);
		}
	}

	/** A row that comes again has changed; what has a version never goes back. */
	#take(row: ListedRow): void {
		const id = idOf(row);
		const known = this.rows.get(id);
		if (known?.version !== undefined && row.version !== undefined && known.version >= row.version)
			this.#tally.fault(`${nameOf(this.reading)}: version ${row.version} of ${id} after ${known.version}`);
		this.rows.set(id, row);
		this.received += 1;
	}

	async #page(): Promise<PageAnswer<ListedRow>> {
		const { list, channel, brand, limit } = this.reading;
		const named = channel.brand === null && brand !== null ? `&brand_code=${brand}` : "";
		const cursor = this.#cursor === "" ? "" : `&cursor=${encodeURIComponent(this.#cursor)}`;
		const path = `/api/v1/${list}?limit=${limit}${named}${cursor}`;
		for (const started = performance.now(); performance.now() - started < PATIENCE_MS; await sleep(AGAIN_MS)) {
			const reply = await this.#client.send({ method: "GET", path, token: this.#token }).catch((error: unknown) => {
				if (!(error instanceof ConnectionLost)) throw error;
				this.#tally.lost += 1;
				return null;
			});
			if (reply?.status === 200) return (reply.body as { data: PageAnswer<ListedRow> }).data;
			const expected = reply === null || reply.status === 429 || (reply.status >= 500 && this.#rough);
			if (!expected) throw new Error(`${path} was answered ${reply.status}: ${JSON.stringify(reply.body)}`);
		}
		throw new Error(`${path} was not answered within ${PATIENCE_MS} ms`);
	}
}

/** A reader as the report names it. */
export const nameOf = ({ list, channel, limit }: Reading): string => `${list}, ${channel.name}, ${limit} a page`;

/** The readers of this service: its receipts only where it has that list. */
export async function openReaders(
	client: Client,
	tokenOf: ReadonlyMap<string, string>,
	tally: Tally,
	rough: boolean,
): Promise<Reader[]> {
	const token = (channel: Channel): string => tokenOf.get(channel.name) as string;
	const { status } = await client.send({ method: "GET", path: "/api/v1/receipts?limit=1", token: token(WEB) });
	return READINGS.filter(({ list }) => list !== "receipts" || status !== 404).map(
		(reading) => new Reader(reading, client, token(reading.channel), tally, rough),
	);
}

/** A row that a reader should have. `version` absent: the list does not tell versions. */
export interface TableRow {
	readonly id: string;
	readonly version?: number;
	readonly brand_code: string | null;
}

/** Rows of the tables that a reader has not, or not as they are now, and rows that it has and the tables have not. */
export function missedBy({ reading, rows }: Pick<Reader, "reading" | "rows">, table: readonly TableRow[]): string[] {
	const own = table.filter(({ brand_code }) => brand_code === reading.brand);
	const missed = own.filter(({ id, version }) => {
		const row = rows.get(id);
		return row === undefined || (row.version !== undefined && row.version !== version);
	});
	const ids = new Set(own.map(({ id }) => id));
	const strange = [...rows.keys()].filter((id) => !ids.has(id));
	return [
		...missed.map(({ id }) => `${nameOf(reading)}: ${id} was not told as it is`),
		...strange.map((id) => `${nameOf(reading)}: ${id} is not in the tables`),
	];
}
