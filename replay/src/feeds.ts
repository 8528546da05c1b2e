import { setTimeout as sleep } from "node:timers/promises";
import type { PageAnswer } from "./answers.ts";
import { AGENT, type Channel, EXPORT, NORTH_2, SOUTH, WEB, WHOLESALE } from "./channels.ts";
import { type Client, ConnectionLost } from "./http.ts";
import type { Tally } from "./tally.ts";

/** Milliseconds between two polls of a list after its end was reached. */
const LOOK_EVERY_MS = 150;
/** Milliseconds before an unanswered page is requested again. */
const AGAIN_MS = 200;
/** Milliseconds without an answer to a page after which the run ends. */
const PATIENCE_MS = 120_000;

/** One reader of a list: its key, the brand it names if it must, and its page size. */
export interface Reading {
	readonly list: "shipments" | "products" | "receipts";
	readonly channel: Channel;
	/** The brand whose rows it sees. */
	readonly brand: string | null;
	readonly limit: number;
}

/** Page sizes from one row to the maximum. */
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

/** The fields that identify a row and order its versions. */
interface ListedRow {
	readonly sku?: string;
	readonly shipment_id?: string;
	readonly receipt_id?: string;
	readonly version?: number;
}

const idOf = ({ sku, shipment_id, receipt_id }: ListedRow): string => shipment_id ?? receipt_id ?? sku ?? "";

/** Follows a list from its first row on, as described in docs/partner/shipments.md. */
export class Reader {
	readonly reading: Reading;
	/** The latest version of each row, by id. */
	readonly rows = new Map<string, ListedRow>();
	/** Rows received, repetitions included. */
	received = 0;
	pages = 0;
	readonly #client: Client;
	readonly #token: string;
	readonly #tally: Tally;
	/** Whether 5xx answers are expected because processes are being killed. */
	readonly #rough: boolean;
	#cursor = "";

	constructor(reading: Reading, client: Client, token: string, tally: Tally, rough: boolean) {
		this.reading = reading;
		this.#client = client;
		this.#token = token;
		this.#tally = tally;
		this.#rough = rough;
	}

	/** Reads until a page requested after `over` returned true ends the list. */
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

	/** A row that appears again has changed; a version never goes back. */
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

/** The name of a reader in the report. */
export const nameOf = ({ list, channel, limit }: Reading): string => `${list}, ${channel.name}, ${limit} a page`;

/** The readers for this service; the list of receipts only if it has one. */
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

/** A row that a reader should have. `version` absent: the list has no versions. */
export interface TableRow {
	readonly id: string;
	readonly version?: number;
	readonly brand_code: string | null;
}

/** Rows of the tables that a reader lacks or has in an old state, and rows of the reader that are not in the tables. */
export function missedBy({ reading, rows }: Pick<Reader, "reading" | "rows">, table: readonly TableRow[]): string[] {
	const own = table.filter(({ brand_code }) => brand_code === reading.brand);
	const missed = own.filter(({ id, version }) => {
		const row = rows.get(id);
		return row === undefined || (row.version !== undefined && row.version !== version);
	});
	const ids = new Set(own.map(({ id }) => id));
	const strange = [...rows.keys()].filter((id) => !ids.has(id));
	return [
		...missed.map(({ id }) => `${nameOf(reading)}: ${id} was reported in another state than it has`),
		...strange.map((id) => `${nameOf(reading)}: ${id} is not in the tables`),
	];
}
