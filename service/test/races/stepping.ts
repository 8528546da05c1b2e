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
 * Two real engines on two real connections whose statements go out one step at a time, in an order the test decides. A
 * step is a run of statements of one class: what they do to another transaction is the same wherever inside the run it
 * stands.
 */

const textOf = (statement: unknown): string =>
	typeof statement === "string" ? statement : (statement as { name: string }).name;

/** A writer's evidence is its own: nobody else's step touches it. */
const EVIDENCE = /(insert into|update|delete from) commit_evidence/g;
/** What no plain read has. */
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
	/** Sends it; resolves when the server has answered, however. */
	send(): Promise<void>;
}

/** Milliseconds a statement has to answer before anyone asks whether it waits for a lock. */
const PATIENCE_MS = 2;
/** Milliseconds that a stepped engine waits for locks and goes on trying: longer than any order of turns takes. */
const UNHURRIED_MS = 60_000;

/** One engine whose statements wait to be let go. */
export class Actor {
	readonly #db: Database;
	readonly #engine: Engine<Command, Answer>;
	readonly #monitor: Database;
	#pending: Pending[] = [];
	#outstanding: Promise<void> | undefined;
	#pid = 0;
	#busy = false;
	/** What was sent, in order, for a failure's message. */
	log: string[] = [];

	constructor(url: string, timeZone: string, monitor: Database) {
		this.#db = openDatabase(url, { max: 2, name: "stepped", indexPlansOnly: true });
		this.#monitor = monitor;
		const stepped = { ...this.#db, take: () => this.#connect() };
		// a turn may be long: neither a lock nor a deadline may end it
		const unhurried = { lockWaitMs: UNHURRIED_MS, deadlineMs: UNHURRIED_MS };
		this.#engine = createEngine(
			stepped,
			createSteps({ catalog: createCatalogCache(), timeZone, links: LINKS }),
			unhurried,
		);
	}

	/** Starts a command. Its statements queue up; none is sent before a step lets it. */
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
	 * Lets one step go, unless the last one still waits for a lock. Returns when it is answered or seen to wait: what
	 * went, or null.
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

	/** The engine has queued its next statement, or is done, or waits for the answer of one that was sent. */
	async #ready(): Promise<void> {
		while (this.#busy && this.#pending.length === 0 && !this.#outstanding) await new Promise(setImmediate);
	}

	/** Does a statement that was sent wait for a lock? False when it was answered. */
	async #waits(answered: Promise<void>): Promise<boolean> {
		const done = answered.then(() => "answered" as const);
		const patience = answered === this.#outstanding ? 0 : PATIENCE_MS; // what waited before probably still does
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
 * Runs one command each, step by step in the order given; what is left after the last turn runs to its end, turn about.
 * `did`: hears of each turn of the order what went.
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
