import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Answer, Command } from "../../src/assembly/commands.ts";
import { createSteps } from "../../src/assembly/steps.ts";
import { createEngine, type Engine } from "../../src/ground/engine/engine.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { LINKS } from "../links.ts";
import type { StepClass } from "./schedules.ts";

/*
 * Two real engines on two real connections whose statements are sent one step at a time, in an order that the test
 * decides. A step is a sequence of statements of one class, which affect another transaction in the same way wherever
 * that transaction stands between them.
 */

const textOf = (statement: unknown): string =>
	typeof statement === "string" ? statement : (statement as { name: string }).name;

/** A writer's evidence row is its own: no other side touches it. */
const EVIDENCE = /(insert into|update|delete from) commit_evidence/g;
/** Keywords that a plain read never contains. */
const TOUCHES =
	/\b(insert into|update|delete from|for (no key )?update|for (key )?share|skip locked|pg_advisory\w*|nextval|take_numbers)\b/i;

export function classOf(statement: unknown): StepClass {
	const text = textOf(statement);
	if (text.startsWith("lock_capped")) return "lock keys";
	if (text.startsWith("lock_holds")) return "lock holds";
	if (text.startsWith("lock_orders")) return "lock orders";
	if (text.startsWith("lock_shipments")) return "lock boxes";
	if (text.startsWith("lock_")) return "lock lots";
	if (/^(insert|update|put)_/.test(text)) return "write";
	if (/^(begin|set|discard)\b/.test(text)) return "none";
	if (text === "commit" || text === "rollback") return "end";
	const sql = typeof statement === "string" ? statement : (statement as { text: string }).text;
	if (TOUCHES.test(sql.replaceAll(EVIDENCE, "")))
		throw new Error(`A statement that changes or locks rows has no class: ${text}`);
	return "read";
}

interface Pending {
	readonly kind: StepClass;
	readonly what: string;
	/** Sends it; resolves when the server has answered, with success or failure. */
	send(): Promise<void>;
}

/** Milliseconds without an answer after which it is checked whether a statement waits for a lock. */
const PATIENCE_MS = 2;
/** Milliseconds for which a stepped engine waits for locks and retries: longer than any order of turns takes. */
const UNHURRIED_MS = 60_000;

/** One engine whose statements wait until the test sends them. */
export class Actor {
	readonly #db: Database;
	readonly #engine: Engine<Command, Answer>;
	readonly #monitor: Database;
	#pending: Pending[] = [];
	#outstanding: Promise<void> | undefined;
	#pid = 0;
	#busy = false;
	/** The statements that were sent, in order, for the message of a failure. */
	log: string[] = [];

	constructor(url: string, timeZone: string, monitor: Database) {
		this.#db = openDatabase(url, { max: 2, name: "stepped", indexPlansOnly: true });
		this.#monitor = monitor;
		const stepped = { ...this.#db, take: () => this.#connect() };
		// a turn may take long: no lock time-out and no deadline may end it
		const unhurried = { lockWaitMs: UNHURRIED_MS, deadlineMs: UNHURRIED_MS };
		this.#engine = createEngine(
			stepped,
			createSteps({ catalog: createCatalogCache(), timeZone, links: LINKS }),
			unhurried,
		);
	}

	/** Starts a command. Its statements are queued; none is sent before its step. */
	start(command: Command): Promise<Answer> {
		this.log = [];
		this.#busy = true;
		return (this.#engine.execute(command) as Promise<Answer>).finally(() => {
			this.#busy = false;
		});
	}

	get done(): boolean {
		return !this.#busy;
	}

	/**
	 * Sends the next step, unless the previous one still waits for a lock. Resolves when the step is answered or found
	 * waiting for a lock. Returns the step, or null if none was sent.
	 */
	async step(): Promise<StepClass | null> {
		await this.#ready();
		if (this.#outstanding && (await this.#waits(this.#outstanding))) return null;
		this.#outstanding = undefined;
		await this.#ready();
		const kind = this.#pending.find((pending) => pending.kind !== "none")?.kind ?? "none";
		const belongs = (pending: Pending): boolean => pending.kind === kind || pending.kind === "none";
		const went = this.#busy ? kind : null;
		while (this.#busy && this.#pending[0] && belongs(this.#pending[0])) {
			const end = this.#pending.findIndex((pending) => !belongs(pending));
			const together = this.#pending.splice(0, end < 0 ? this.#pending.length : end);
			this.log.push(...together.map(({ what }) => what));
			const answered = Promise.all(together.map(({ send }) => send())).then(() => undefined);
			if (await this.#waits(answered)) {
				this.#outstanding = answered;
				return kind;
			}
			await this.#ready();
		}
		return went;
	}

	async close(): Promise<void> {
		await this.#db.close();
	}

	/** Resolves when the engine has queued its next statement, is done, or waits for an answer. */
	async #ready(): Promise<void> {
		while (this.#busy && this.#pending.length === 0 && !this.#outstanding) await new Promise(setImmediate);
	}

	/** Whether the last sent statement waits for a lock; false if it was answered. */
	async #waits(answered: Promise<void>): Promise<boolean> {
		const done = answered.then(() => "answered" as const);
		const patience = answered === this.#outstanding ? 0 : PATIENCE_MS; // a statement that waited before probably still waits
		if ((await Promise.race([done, pause(patience, "late" as const)])) === "answered") return false;
		for (;;) {
			const asked = this.#monitor
				.query<{ waits: boolean }>("select cardinality(pg_blocking_pids($1)) > 0 as waits", [this.#pid])
				.then(({ rows }) => (rows[0]?.waits ? ("waits" as const) : ("runs" as const)));
			const seen = await Promise.race([done, asked]);
			if (seen === "answered") return false;
			if (seen === "waits") return true;
			await Promise.race([done, pause(PATIENCE_MS)]);
		}
	}

	async #connect(): Promise<pg.PoolClient> {
		const client = await this.#db.take();
		this.#pid = (client as unknown as { processID: number }).processID;
		const query = (...args: Parameters<pg.PoolClient["query"]>) =>
			new Promise((resolve, reject) => {
				const send = async (): Promise<void> => {
					try {
						resolve(await (client.query as (...of: unknown[]) => Promise<unknown>)(...args));
					} catch (error) {
						reject(error);
					}
				};
				this.#pending.push({ kind: classOf(args[0]), what: textOf(args[0]), send });
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

/** Every order in which `a` turns of A and `b` turns of B can be taken. */
export function* interleavings(a: number, b: number): Generator<string> {
	if (a === 0 || b === 0) {
		yield "A".repeat(a) + "B".repeat(b);
		return;
	}
	for (const rest of interleavings(a - 1, b)) yield `A${rest}`;
	for (const rest of interleavings(a, b - 1)) yield `B${rest}`;
}

/**
 * Runs one command on each side, step by step in the given order; after the last turn, the remaining steps alternate
 * until both have ended. `did` is called with the step of each turn.
 */
export async function race(
	[actorA, actorB]: readonly [Actor, Actor],
	[commandA, commandB]: readonly [Command, Command],
	order: string,
	did?: (did: readonly (StepClass | null)[]) => void,
): Promise<[Answer, Answer]> {
	const answers = Promise.all([actorA.start(commandA), actorB.start(commandB)]);
	const went: (StepClass | null)[] = [];
	for (const turn of order) went.push(await (turn === "A" ? actorA : actorB).step());
	did?.(went);
	while (!actorA.done || !actorB.done) {
		await actorA.step();
		await actorB.step();
	}
	return answers;
}
