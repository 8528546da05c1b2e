import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { silentLog } from "../../src/ground/lib/log.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { preparedPage } from "../../src/ground/pg/page.ts";
import { isOnReplica, type Reads } from "../../src/ground/pg/reads.ts";
import { openReads } from "../../src/ground/pg/replica-reads.ts";
import { openDataPlace } from "../data-folder.ts";
import { until } from "../processes/child.ts";
import { Server } from "./server.ts";

let folder: string;
let primary: Server;
let replica: Server;
/** Begun from the same copy as the primary, and written to by itself. */
let foreign: Server;
let foreignReplica: Server;
let opened: Reads[] = [];

beforeAll(async () => {
	folder = await openDataPlace("replica-unfit");
	[primary, foreign] = await Promise.all([Server.make(join(folder, "primary")), Server.make(join(folder, "foreign"))]);
	[replica, foreignReplica] = await Promise.all([
		Server.replicaOf(primary, join(folder, "replica")),
		Server.replicaOf(foreign, join(folder, "foreign-replica")),
	]);
});
afterEach(async () => {
	await Promise.all(opened.map((one) => one.close()));
	opened = [];
});
afterAll(async () => {
	await Promise.all([replica, foreignReplica].map((one) => one?.close()));
	await Promise.all([primary, foreign].map((one) => one?.close()));
	await rm(folder, { recursive: true, force: true });
});

function open(url: string): Reads {
	const reads = openReads({ primary: primary.db, url, max: 4, epochs: ["shipment_epoch"], log: silentLog() });
	opened.push(reads);
	return reads;
}

const selectNoted = preparedPage<[version: number]>(
	"select_noted",
	"shipment_epoch",
	"select version from noted where version > $1 order by version limit $2",
);

/** Whether a read is answered by the replica. */
const isAnswered = (reads: Reads, owner = "a"): Promise<boolean> =>
	reads.read([owner], async (on) => {
		await on.query("select 1");
		return isOnReplica(on);
	});

/** Looks until the replica answers, or is found unfit for the given reason. */
const untilFound = (reads: Reads, unfit: string | null): Promise<unknown> =>
	until(`a replica that is ${unfit ?? "fit"}`, async () => {
		await reads.look();
		return reads.state()?.unfit === unfit;
	});

describe("the primary answers in place of a replica", () => {
	it("of another database, even of one that was copied from the same", async () => {
		const reads = open(foreignReplica.url);
		const others = openReads({
			primary: foreign.db,
			url: foreignReplica.url,
			max: 1,
			epochs: ["shipment_epoch"],
			log: silentLog(),
		});
		opened.push(others);
		await untilFound(others, null);
		await untilFound(reads, "unknown");
		expect(await isAnswered(reads)).toBe(false);
		expect(reads.state()?.counts).toEqual(new Map([["unknown", 1]]));
	});

	it("that is a primary", async () => {
		const reads = open(primary.url);
		await untilFound(reads, "promoted");
		expect(await isAnswered(reads)).toBe(false);
	});

	it("whose role may not see where it comes from, until it may", async () => {
		await primary.db.query("create role modest login password 'modest'");
		await primary.db.query("grant select on all tables in schema public to modest");
		await replica.catchUpWith(primary);
		const reads = open(replica.url.replace(/\/\/holdfast:[^@]*@/, "//modest:modest@"));
		await untilFound(reads, "hidden");
		expect(await isAnswered(reads)).toBe(false);
		await primary.db.query("grant pg_read_all_stats to modest");
		await untilFound(reads, null);
		expect(await isAnswered(reads)).toBe(true);
	});

	it("whose sender is gone", async () => {
		const reads = open(replica.url);
		await untilFound(reads, null);
		await replica.db.query("alter system set primary_conninfo = ''");
		await replica.db.query("select pg_reload_conf()");
		await untilFound(reads, "detached");
		expect(await isAnswered(reads)).toBe(false);
		await replica.db.query("alter system reset primary_conninfo");
		await replica.follow(primary);
		await replica.db.query("select pg_reload_conf()");
		await untilFound(reads, null);
	});

	it("that hangs, after a bounded wait, and without any wait from then on", async () => {
		const reads = open(replica.url);
		await untilFound(reads, null);
		const thaw = await replica.freeze();
		try {
			expect(await isAnswered(reads)).toBe(false);
			await reads.look();
			expect(reads.state()?.unfit).not.toBe(null);
			const before = new Map(reads.state()?.counts);
			expect(await isAnswered(reads)).toBe(false);
			const why = must(reads.state()?.unfit, "a reason");
			expect(reads.state()?.counts.get(why)).toBe((before.get(why) ?? 0) + 1);
		} finally {
			thaw();
		}
		await untilFound(reads, null);
		expect(await isAnswered(reads)).toBe(true);
	});

	it("whose replay ends a read that is in its way", async () => {
		const reads = open(replica.url);
		await untilFound(reads, null);
		const servers: boolean[] = [];
		await reads.read(["a"], async (on: Query) => {
			servers.push(isOnReplica(on));
			if (isOnReplica(on)) await on.query("do $$ begin raise serialization_failure; end $$");
		});
		expect(servers).toEqual([true, false]);
		expect(reads.state()?.unfit).toBe(null);
	});

	it("that does not show yet what the reader has seen, and answers others meanwhile", async () => {
		const reads = open(replica.url);
		await untilFound(reads, null);
		await replica.pause();
		reads.follow("a");
		expect([await isAnswered(reads, "a"), await isAnswered(reads, "b")]).toEqual([false, true]);
		await replica.resume();
		await until("the next beat", () => isAnswered(reads, "a"));
	});
});

describe("a replica that shows a commit before the primary does, which waits for another standby", () => {
	it("lists it only once the primary has shown it, because a failover may lose it until then", async () => {
		await primary.db.query("create table noted (version bigint primary key)");
		const reads = open(replica.url);
		await untilFound(reads, null);
		const listed = async (): Promise<{ readonly on: string; readonly rows: number }> =>
			await reads.read(["a"], async (on) => {
				const { rows } = await selectNoted(on, { after: 0, limit: 9 }, []);
				return { on: isOnReplica(on) ? "replica" : "primary", rows: rows.length };
			});
		await primary.db.query("alter system set synchronous_standby_names = 'nobody'");
		await primary.db.query("select pg_reload_conf()");
		await until("a primary that waits", async () => {
			const { rows } = await primary.db.query(
				"select from pg_settings where name = 'synchronous_standby_names' and setting = 'nobody'",
			);
			return rows.length > 0;
		});
		const committing = primary.db.query("insert into noted select take_numbers('shipment_epoch', 1)");
		await until("a commit on the replica", async () => (await replica.db.query("select from noted")).rows.length > 0);
		expect((await primary.db.query("select from noted")).rows).toEqual([]);
		expect((await listed()).rows).toBe(0);
		await primary.db.query("alter system reset synchronous_standby_names");
		await primary.db.query("select pg_reload_conf()");
		await committing;
		await untilFound(reads, null);
		await until("the row on the replica", async () => {
			await reads.look();
			const { on, rows } = await listed();
			return on === "replica" && rows === 1;
		});
	});
});
