import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { forgetOldEvents } from "../../src/partners/webhooks/forget-old-events.ts";
import { recover, resend } from "../../src/partners/webhooks/recover.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { recordEvents } from "../webhooks/events.ts";
import { openPostOffice } from "../webhooks/post-office.ts";
import { interleavings } from "./stepping.ts";

const never = new AbortController().signal;
/** Statements after which the other side may take its turn: those that affect both. */
const TURN = /webhook_delivery|\bfrom event\b|^commit/;
/** Turns of each side: forgetting locks, deletes and commits; resending requeues and commits. */
const [FORGETTING_TURNS, SENDING_TURNS] = [3, 2];

/** A database whose statements are sent when the test decides. */
class Side {
	readonly #db: Database;
	readonly #monitor: Database;
	readonly #queue: { readonly text: string; readonly send: () => Promise<void> }[] = [];
	#sent: Promise<void> | null = null;
	#pid = 0;
	#running = false;

	constructor(url: string, monitor: Database) {
		this.#db = openDatabase(url, { max: 1, name: "stepped" });
		this.#monitor = monitor;
	}

	run<T>(work: (db: Database) => Promise<T>): Promise<T> {
		this.#running = true;
		const query: Database["query"] = async (text, values) => {
			const client = await this.#take();
			try {
				return (await client.query(text, values)) as never;
			} finally {
				client.release();
			}
		};
		return work({ ...this.#db, query, take: () => this.#take() }).finally(() => {
			this.#running = false;
		});
	}

	get isDone(): boolean {
		return !this.#running;
	}

	/** Sends statements up to the next one that matters, unless the last one still waits for a lock. */
	async turn(): Promise<void> {
		if (this.#sent !== null && (await this.#waits(this.#sent))) return;
		this.#sent = null;
		while (this.#running) {
			const next = this.#queue.shift();
			if (next === undefined) {
				await new Promise(setImmediate);
				continue;
			}
			const sent = next.send();
			if (await this.#waits(sent)) {
				this.#sent = sent;
				return;
			}
			if (TURN.test(next.text)) return;
		}
	}

	close = (): Promise<void> => this.#db.close();

	async #waits(sent: Promise<void>): Promise<boolean> {
		const answered = sent.then(() => true);
		for (;;) {
			if (await Promise.race([answered, pause(1, false)])) return false;
			const { rows } = await this.#monitor.query<{ waits: boolean }>(
				"select cardinality(pg_blocking_pids($1)) > 0 as waits",
				[this.#pid],
			);
			if (rows[0]?.waits) return true;
		}
	}

	async #take(): Promise<pg.PoolClient> {
		const client = await this.#db.take();
		this.#pid = (client as unknown as { processID: number }).processID;
		const query = (...call: Parameters<pg.PoolClient["query"]>) =>
			new Promise((resolve, reject) => {
				const text = typeof call[0] === "string" ? call[0] : (call[0] as { text: string }).text;
				const sent = (): Promise<unknown> => (client.query as (...of: unknown[]) => Promise<unknown>)(...call);
				this.#queue.push({ text, send: () => sent().then(resolve, reject) });
			});
		return new Proxy(client, {
			get: (target, name) => {
				if (name === "query") return query;
				const value = Reflect.get(target, name, target) as unknown;
				return typeof value === "function" ? value.bind(target) : value;
			},
		});
	}
}

describe("Old events are forgotten while somebody sends them again", () => {
	let database: TestDatabase;
	let forgetting: Side;
	let sending: Side;
	beforeAll(async () => {
		database = await openTestDatabase();
		[forgetting, sending] = [new Side(database.url, database.db), new Side(database.url, database.db)];
	});
	afterAll(async () => {
		await Promise.all([forgetting.close(), sending.close()]);
		await database.close();
	});

	/** An endpoint with one old event that was given up: of an order, or one that its owner asked for. */
	const oldEvent = async (isTest: boolean): Promise<{ endpointId: string; deliveryId: string }> => {
		const office = openPostOffice(database.db, database.url, 1_000);
		const { endpoint, partnerId } = await office.endpoint("http://127.0.0.1:9/");
		const whom = { partnerId, environment: "live" } as const;
		const [eventId] = await recordEvents(database.db, whom, 1);
		await database.db.query(
			`update event set created_at = now() - interval '31 days', order_id = case when $2 then null else order_id end,
			        type = case when $2 then 'webhook.test' else type end where event_id = $1`,
			[eventId, isTest],
		);
		const { rows } = await database.db.query<{ id: string }>(
			`update webhook_delivery set status = 'exhausted', next_attempt_at = null, settled_at = now() where event_id = $1
			 returning delivery_id as id`,
			[eventId],
		);
		return { endpointId: endpoint.endpointId, deliveryId: must(rows[0], "the delivery").id };
	};
	const since = new Date("2000-01-01");
	type Old = Awaited<ReturnType<typeof oldEvent>>;
	interface Way {
		readonly isTest: boolean;
		readonly prepare?: string;
		/** Returns whether anything is sent again. */
		readonly send: (db: Database, old: Old) => Promise<boolean>;
	}
	const recovers = async (db: Database, { endpointId }: Old): Promise<boolean> => {
		const answer = await transaction(db, (tx) => recover(tx, null, endpointId, since));
		return !isRefusal(answer) && answer.events === 1;
	};
	const resends = async (db: Database, { deliveryId }: Old): Promise<boolean> =>
		!isRefusal(await transaction(db, (tx) => resend(tx, deliveryId)));
	const ways: Record<string, Way> = {
		"recover of a delivery that was given up": {
			isTest: false,
			send: recovers,
		},
		"recover of an event that had no delivery": {
			isTest: false,
			prepare: "delete from webhook_delivery where delivery_id = $1",
			send: recovers,
		},
		"resend of an event of an order": {
			isTest: false,
			send: resends,
		},
		"resend of a test": {
			isTest: true,
			send: resends,
		},
	};

	it.for(Object.entries(ways))("%s never sends one without its body, in any order of turns", async ([, way]) => {
		const ends = new Set<string>();
		for (const order of interleavings(FORGETTING_TURNS, SENDING_TURNS)) {
			const old = await oldEvent(way.isTest);
			if (way.prepare !== undefined) await database.db.query(way.prepare, [old.deliveryId]);
			const both = Promise.all([
				forgetting.run((db) => forgetOldEvents(db, 30, never)),
				sending.run((db) => way.send(db, old)),
			]);
			for (const turn of order) await (turn === "A" ? forgetting : sending).turn();
			while (!forgetting.isDone || !sending.isDone) {
				await forgetting.turn();
				await sending.turn();
			}
			const [, isSent] = await both;
			const { rows } = await database.db.query<{ status: string; body: string | null }>(
				`select d.status, e.body from webhook_delivery d left join event e using (seq) where d.endpoint_id = $1`,
				[old.endpointId],
			);
			expect(
				rows.map(({ status }) => status),
				order,
			).toEqual(isSent ? ["pending"] : []);
			for (const { body } of rows) expect(JSON.parse(body ?? "null"), order).toMatchObject({ type: "order.held" });
			ends.add(isSent ? "sent" : "forgotten");
			// removes what could affect the next race
			await database.db.query("delete from webhook_delivery");
			await database.db.query("update event set created_at = now()");
		}
		expect(ends).toEqual(new Set(["sent", "forgotten"]));
	});
});
