import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { sleep } from "../../src/ground/lib/clock.ts";
import { silentLog } from "../../src/ground/lib/log.ts";
import type { TasksRunning } from "../../src/ground/lib/run-tasks.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { MAX_LAG_MS } from "../../src/ground/pg/judge-replica.ts";
import { preparedPage } from "../../src/ground/pg/page.ts";
import { isOnReplica, type Reads } from "../../src/ground/pg/reads.ts";
import { openReads } from "../../src/ground/pg/replica-reads.ts";
import { PG_TASKS } from "../../src/ground/pg/tasks.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { openDataPlace } from "../data-folder.ts";
import { until } from "../processes/child.ts";
import { runTask } from "../run-task.ts";
import { sizeOr } from "../sizes.ts";
import { Server } from "./server.ts";

/** Minimum number of rows that the writers write, and maximum number of rows in one of their transactions. */
const ROWS = sizeOr(1_000_000, 20_000);
const MOST_AT_ONCE = sizeOr(400, 20);
const WRITERS = 8;
/** Rows of a page. */
const PAGE = sizeOr(500, 200);
/** Milliseconds between two transactions of a writer, and until a reader at the end of the list asks again. */
const PAUSE_MS = sizeOr(0, 20);
/** The colour of rows that no reader may see: those of a history that the primary does not have. */
const FOREIGN = "foreign";

const LOOK = must(
	PG_TASKS.find(({ name }) => name === "look_at_replica"),
	"the task",
);

let folder: string;
let primary: Server;
let replica: Server;
/** A replica that follows whatever it is told to. */
let other: Server;
/** Reads on each replica, as two nodes have them, and the tasks that write their beats. */
let reads: Reads;
let otherReads: Reads;
let looking: TasksRunning[] = [];
/** Whether writers continue although they have written enough, and the last number once they have ended. */
let writes = true;
let end = Number.POSITIVE_INFINITY;

beforeAll(async () => {
	folder = await openDataPlace("replicas");
	primary = await Server.make(join(folder, "primary"));
	[replica, other] = await Promise.all([
		Server.replicaOf(primary, join(folder, "replica")),
		Server.replicaOf(primary, join(folder, "other")),
	]);
	// a made-up list, created as docs/decisions/0029 describes for migrations
	await primary.db.query("create table parcel_epoch (like key_epoch including all)");
	await primary.db.query("insert into parcel_epoch values (true, 0)");
	await primary.db.query("create table parcel (id bigserial primary key, version bigint not null unique, colour text)");
	await primary.db.query("alter table parcel add column listed_at timestamptz not null");
	await replica.catchUpWith(primary);
	reads = openFor(replica);
	otherReads = openFor(other);
	looking = [reads, otherReads].map(look);
	await until("two fit replicas", () => reads.state()?.unfit === null && otherReads.state()?.unfit === null);
});
afterAll(async () => {
	writes = false;
	end = 0;
	await Promise.all(looking.map((one) => one.stop()));
	await Promise.all([reads, otherReads].map((one) => one?.close()));
	await Promise.all([replica, other].map((one) => one?.close()));
	await primary?.close();
	await rm(folder, { recursive: true, force: true });
});

const openFor = ({ url }: Server): Reads =>
	openReads({ primary: primary.db, url, max: 4, epochs: ["parcel_epoch"], log: silentLog() });
const look = (one: Reads): TasksRunning => runTask(LOOK, { reads: one } as unknown as Parameters<typeof LOOK.run>[0]);

const selectParcels = preparedPage<[version: number, id: number, colour: string]>(
	"select_parcels_by_number",
	"parcel_epoch",
	"select version, id, colour from parcel where version > $1 order by version limit $2",
);

/** A transaction that writes rows, or gives the oldest new numbers and another colour. Returns its last number. */
async function write(on: Server, colour: string, count: number, isNew: boolean): Promise<number> {
	return await transaction(on.db, async (tx) => {
		const { rows } = await tx.query<{ last: number; at: Date }>(
			"select last, at from take_numbers_at('parcel_epoch', $1)",
			[count],
		);
		const { last, at } = must(rows[0], "numbers");
		const values = [last - count, colour, at, count];
		if (isNew)
			await tx.query(
				"insert into parcel (version, colour, listed_at) select $1 + n, $2, $3 from generate_series(1, $4) n",
				values,
			);
		else
			await tx.query(
				`update parcel p set version = $1 + c.n, colour = $2, listed_at = $3
				   from (select id, row_number() over () as n from (select id from parcel order by version limit $4) o) c
				  where p.id = c.id`,
				values,
			);
		return last;
	});
}

async function writeOn(writer: number): Promise<void> {
	let last = 0;
	for (let round = 0; writes || (last < ROWS && end > 0); round++) {
		const count = 1 + ((writer * 7 + round * 13) % MOST_AT_ONCE);
		last = await write(primary, `${writer}-${round}`, count, round % 5 > 0);
		await sleep(PAUSE_MS);
	}
}

/** Where a reader has got to: the last colour that it saw of each row, its position, and its last `as_of`. */
class Walk {
	readonly colours = new Map<number, string>();
	/** For each page that reached the end: up to which number, and its `as_of`. */
	readonly ends: { readonly upTo: number; readonly asOfMs: number }[] = [];
	pages = 0;
	onReplica = 0;
	after = 0;
	#asOfMs = 0;
	readonly #read: (work: (on: Query) => Promise<Page>) => Promise<Page>;

	constructor(read: (work: (on: Query) => Promise<Page>) => Promise<Page>) {
		this.#read = read;
	}

	/** Reads the next page, which may be empty. */
	async next(): Promise<void> {
		const { rows, asOfMs, isOfReplica } = await this.#read(async (on) => ({
			...(await selectParcels(on, { after: this.after, limit: PAGE }, [])),
			isOfReplica: isOnReplica(on),
		}));
		const page = rows.slice(0, PAGE);
		for (const [version, id, colour] of page) {
			if (version <= this.after) throw new Error(`number ${version} came again`);
			this.after = version;
			this.colours.set(id, colour);
		}
		expect(asOfMs).toBeGreaterThanOrEqual(this.#asOfMs);
		this.#asOfMs = asOfMs;
		this.pages++;
		if (isOfReplica) this.onReplica++;
		if (page.length === 0) await sleep(PAUSE_MS);
		if (rows.length <= PAGE) this.ends.push({ upTo: this.after, asOfMs });
	}
}

interface Page {
	readonly rows: [version: number, id: number, colour: string][];
	readonly asOfMs: number;
	readonly isOfReplica: boolean;
}

/** Two readers that read pages, on a replica where that is possible and on the primary, until all was written. */
async function walk(source: Reads, owner: string): Promise<{ readonly walked: Walk; readonly compared: Walk }> {
	const walked = new Walk((work) => source.read([owner], work));
	const compared = new Walk((work) => work(primary.db));
	await Promise.all(
		[walked, compared].map(async (one) => {
			while (one.after < end) await one.next();
		}),
	);
	return { walked, compared };
}

/** What a walk last saw of each row is what the table has, and what the walk says about its moments is true. */
async function expectExact(one: Walk): Promise<void> {
	const { rows } = await primary.db.query<{ id: number; colour: string }>("select id, colour from parcel order by id");
	expect([...one.colours].sort(([a], [b]) => a - b)).toEqual(rows.map(({ id, colour }) => [id, colour]));
	const missed = await primary.db.query(
		`select e from unnest($1::bigint[], $2::bigint[]) e(up_to, as_of)
		  cross join lateral (select listed_at from parcel where version > up_to order by version limit 1) next
		  where next.listed_at < to_timestamp(as_of / 1000.0)`,
		[one.ends.map(({ upTo }) => upTo), one.ends.map(({ asOfMs }) => asOfMs)],
	);
	expect(missed.rows).toEqual([]);
}

async function lastNumber(): Promise<number> {
	const { rows } = await primary.db.query<{ version: number }>("select version from parcel_epoch");
	return must(rows[0], "the epoch").version;
}

const unfitOf = (one: Reads) => one.state()?.unfit;

describe("a list that is read on replicas while eight writers write", () => {
	it("skips and repeats no row against a reader on the primary, whatever becomes of the replicas", async () => {
		const writing = Array.from({ length: WRITERS }, (_, writer) => writeOn(writer));
		const walks = [walk(reads, "a"), walk(otherReads, "b")];
		const countOf = (outcome: "replica" | "late") => reads.state()?.counts.get(outcome) ?? 0;
		await until("pages of the replica", () => countOf("replica") > 10);

		await replica.pause();
		await until("a lag beyond the limit", () => unfitOf(reads) === "late");
		expect(reads.state()?.lagMs).toBeGreaterThan(MAX_LAG_MS);
		await replica.resume();
		await until("a replica that has caught up", () => unfitOf(reads) === null);

		await replica.stop();
		await until("a replica that is away", () => unfitOf(reads) === "away");
		await replica.start();
		await until("a replica that is back", () => unfitOf(reads) === null);

		// a promotion leaves the primary's history, here with a replica of its own; what is written there is never read
		await other.stop();
		await replica.catchUpWith(primary); // so that it has all that the other one received
		await replica.promote();
		await write(replica, FOREIGN, MOST_AT_ONCE, true);
		await until("a replica that was promoted", () => unfitOf(reads) === "promoted");
		await other.follow(replica);
		await other.start();
		await until("a replica of another timeline", () => unfitOf(otherReads) === "other_timeline");
		await other.catchUpWith(replica);
		const { rows: foreign } = await other.db.query("select from parcel where colour = $1", [FOREIGN]);
		expect(foreign).toHaveLength(MOST_AT_ONCE);

		writes = false;
		await Promise.all(writing);
		end = await lastNumber();
		for (const { walked, compared } of await Promise.all(walks)) {
			expect(walked.colours).toEqual(compared.colours);
			await expectExact(walked);
			expect(walked.onReplica).toBeGreaterThan(10);
		}
	});
});
