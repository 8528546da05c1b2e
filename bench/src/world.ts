/**
 * The measured worlds: databases of one durable embedded PostgreSQL, filled in sets, with keys made by the service's
 * own code.
 */

import { type EmbeddedPostgres, openEmbedded } from "../../service/src/ground/embedded/embedded.ts";
import { isRefusal } from "../../service/src/ground/lib/refusal.ts";
import { type Database, openDatabase } from "../../service/src/ground/pg/connect.ts";
import { migrate } from "../../service/src/ground/pg/migrate.ts";
import { transaction } from "../../service/src/ground/pg/transaction.ts";
import { type KeyRing, newKeyRingEntry, parseKeyRing } from "../../service/src/partners/keys/key-ring.ts";
import { MAX_REQUESTS_PER_MINUTE } from "../../service/src/partners/keys/limits.ts";
import { mintKey } from "../../service/src/partners/keys/mint-key.ts";
import { INSERT_HOLDS_TO_PLACE, INSERT_PAST_ORDERS } from "./order-sql.ts";
import { BRAND, CREATE_MINIMAL_RESERVE, INSERT_BRAND, INSERT_CATALOG, INSERT_LOTS, INSERT_PAST_HOLDS } from "./sql.ts";

/**
 * Keys that share the load: one key's limit of 1,000,000 requests per minute is less than the gate alone can answer.
 */
const KEYS = 8;
/** Two services, the pools of the alternatives and the database's own clients are connected at once. */
const MAX_CONNECTIONS = "300";
/** SKUs in normal worlds. */
export const SKUS = 10_000;

export interface World {
	readonly url: string;
	readonly skus: number;
	/** Tokens of the keys. */
	readonly tokens: readonly string[];
	/** The value of HOLDFAST_SECRET_KEYS that the keys were made with. */
	readonly secretKeys: string;
	/** Shipped orders; 0: no holds to place either. */
	readonly pastOrders: number;
}

export interface Size {
	readonly skus: number;
	readonly pastHolds: number;
	readonly pastOrders: number;
	/** Holds that can be placed. */
	readonly holdsToPlace: number;
}

/** The PostgreSQL server of all measurements: the service's own embedded one, with its settings. */
export class Cluster {
	readonly #postgres: EmbeddedPostgres;
	readonly #secretKeys = newKeyRingEntry();
	readonly #templates = new Map<string, World>();

	private constructor(postgres: EmbeddedPostgres) {
		this.#postgres = postgres;
	}

	static async open(dataDir: string): Promise<Cluster> {
		return new Cluster(await openEmbedded({ dataDir, role: "tool", settings: { max_connections: MAX_CONNECTIONS } }));
	}

	get pid(): number {
		return this.#postgres.pid();
	}

	/** Creates and fills the database `name`. */
	async create(name: string, size: Size): Promise<World> {
		await this.#run(`create database ${name}`);
		const url = this.#urlOf(name);
		await migrate(url);
		const db = openDatabase(url, { max: 1, name: "bench" });
		try {
			const tokens = await fill(db, parseKeyRing(this.#secretKeys), size);
			if (size.pastHolds + size.pastOrders > 0) await db.query("vacuum (analyze)"); // autovacuum would have done it
			await db.query("checkpoint"); // and the rows would be on disk already
			const world = { url, skus: size.skus, tokens, secretKeys: this.#secretKeys, pastOrders: size.pastOrders };
			this.#templates.set(name, world);
			return world;
		} finally {
			await db.close();
		}
	}

	/** A fresh copy of a database made by `create` that is not in use. */
	async copy(template: string, name: string): Promise<World> {
		const world = this.#templates.get(template);
		if (!world) throw new Error(`there is no database ${template}`);
		await this.#run(`drop database if exists ${name} with (force)`);
		await this.#run(`create database ${name} template ${template} strategy file_copy`);
		return { ...world, url: this.#urlOf(name) };
	}

	async drop(name: string): Promise<void> {
		await this.#run(`drop database if exists ${name} with (force)`);
	}

	async close(): Promise<void> {
		await this.#postgres.close();
	}

	#urlOf(name: string): string {
		return this.#postgres.url.replace("/postgres?", `/${name}?`);
	}

	async #run(statement: string): Promise<void> {
		const db = openDatabase(this.#postgres.url, { max: 1, name: "bench" });
		try {
			await db.query(statement);
		} finally {
			await db.close();
		}
	}
}

/** Never called: the keys of a benchmark are live. */
const openSandbox = (): never => {
	throw new Error("bug: a benchmark has no sandbox");
};

/** Fills the database in one transaction; returns the keys' tokens. */
async function fill(
	db: Database,
	ring: KeyRing,
	{ skus, pastHolds, pastOrders, holdsToPlace }: Size,
): Promise<string[]> {
	return await transaction(db, async (tx) => {
		await tx.query(INSERT_BRAND);
		const minting = { ring, openSandbox };
		const tokens: string[] = [];
		for (let n = 1; n <= KEYS; n++) {
			const key = await mintKey(tx, minting, {
				name: `Bench ${n}`,
				partner: "Bench",
				environment: "live",
				brandCode: BRAND,
				sharedPool: true,
				scopes: [
					"atp.check",
					"atp.reserve",
					"atp.inventory",
					"atp.products",
					"atp.orders",
					"atp.shipments",
					"atp.summary",
				],
				requestsPerMinute: MAX_REQUESTS_PER_MINUTE,
			});
			if (isRefusal(key)) throw new Error(key.message);
			tokens.push(key.token);
		}
		for (const statement of [...INSERT_CATALOG, ...INSERT_LOTS]) await tx.query(statement, [skus]);
		if (pastHolds > 0) for (const { text, values } of INSERT_PAST_HOLDS(pastHolds, skus)) await tx.query(text, values);
		if (pastOrders > 0)
			for (const { text, values } of INSERT_PAST_ORDERS(pastOrders, skus, KEYS)) await tx.query(text, [...values]);
		if (holdsToPlace > 0)
			for (const { text, values } of INSERT_HOLDS_TO_PLACE(holdsToPlace, skus, KEYS)) await tx.query(text, [...values]);
		for (const statement of CREATE_MINIMAL_RESERVE) await tx.query(statement);
		return tokens;
	});
}
