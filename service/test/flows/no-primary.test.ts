import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { monotonicMs, sleep } from "../../src/ground/lib/clock.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { openDataPlace } from "../data-folder.ts";
import { type Answer, type House, openHouse } from "../house.ts";
import { until } from "../processes/child.ts";
import { Server } from "../replicas/server.ts";

/*
 * A service whose database stops, and one whose database takes no writes: what waits, what is refused at once, and when
 * requests are taken again.
 */

const UNITS = 1_000;
/** Reserves that are sent one after the other while no primary is known. */
const LATER = 50;
const FEW = 10;

let folder: string;
let server: Server;
let house: House;
let token: string;

beforeAll(async () => {
	folder = await openDataPlace("no-primary");
	server = await Server.make(join(folder, "server"));
	const { url, db } = server;
	const database = { name: "holdfast", url, db, leave: () => Promise.resolve(), close: () => server.close() };
	house = await openHouse({ database });
	await house.stock({ ONE: UNITS });
	({ token } = await house.mint({ requestsPerMinute: 1_000_000 }));
}, 60_000);
afterAll(async () => {
	await house?.close();
	await rm(folder, { recursive: true, force: true });
});

const reserve = (): Promise<Answer> =>
	house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty: 1 }], ttl_minutes: 60 } });
const read = (): Promise<Answer> => house.call(token, "/api/v1/inventory?sku=ONE");

/** Sends reserves until one is refused because no primary is known; returns the longest wait, in milliseconds. */
async function untilRefused(): Promise<number> {
	let longest = 0;
	await until("a reserve that is refused", async () => {
		const began = monotonicMs();
		const { status } = await reserve();
		longest = Math.max(longest, monotonicMs() - began);
		return status === 429;
	});
	return longest;
}

/** Sends reserves one after the other, all of which must be refused; returns the milliseconds that each took. */
async function refused(count: number): Promise<number[]> {
	const took: number[] = [];
	for (let n = 0; n < count; n++) {
		const began = monotonicMs();
		const { status, headers, json } = await reserve();
		took.push(monotonicMs() - began);
		expect([status, json.error.code]).toEqual([429, "rate_limited"]);
		expect(json.error.message).toContain("database takes no writes");
		expect(json.error.message).toContain("Nothing was done");
		expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
	}
	return took;
}

/** Repeats a reserve as its replies say; returns how often it was refused. */
async function repeated(): Promise<number> {
	for (let times = 0; ; times++) {
		const { status, headers } = await reserve();
		if (status === 201) return times;
		expect(status).toBe(429);
		await sleep(1_000 * Number(headers.get("retry-after")));
	}
}

/** What the metrics say about the primary. */
async function missing(): Promise<string | undefined> {
	const text = await (await fetch(`${house.metrics}/metrics`)).text();
	return /^holdfast_db_primary_missing (\d)$/m.exec(text)?.[1];
}

/** Holds as the ledger has them. */
const holds = async (): Promise<number> => {
	const { rows } = await server.db.query<{ n: number }>("select count(*)::int as n from hold");
	return must(rows[0], "a count").n;
};

describe("When the database stops", () => {
	it("the first reserves wait, all later ones are refused at once, and a database that comes back is noticed by the second repeat", async () => {
		expect((await reserve()).status).toBe(201);
		await server.stop();
		const first = await untilRefused();
		const later = await refused(LATER);
		// all of them together wait for less time than the first one alone
		expect(later.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(first);
		// nothing can prove that a key is still in force, so reads are not answered either
		expect((await read()).status).toBe(429);
		expect(house.nodes[0]?.deps?.engine.waiting).toBe(0);
		expect(await missing()).toBe("1");

		await server.start();
		expect(await repeated()).toBeLessThanOrEqual(2);
		expect((await read()).status).toBe(200);
		expect(await missing()).toBe("0");
		expect(await holds()).toBe(2);
		expect((await verify(server.db)).differences).toEqual([]);
	}, 120_000);
});

describe("When the database takes no writes", () => {
	const set = async (value: "on" | "off"): Promise<void> => {
		await server.db.onOne(async (client) => {
			await client.query("set default_transaction_read_only = off");
			await client.query(`alter system set default_transaction_read_only = ${value}`);
			await client.query("select pg_reload_conf()");
			await client.query("reset default_transaction_read_only");
		});
	};

	it("reserves are refused at once after some seconds, reads are answered as before, and the first write that it takes opens again", async () => {
		const before = await holds();
		await set("on");
		const first = await untilRefused();
		const later = await refused(LATER);
		expect(later.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(first);
		for (let n = 0; n < FEW; n++) expect((await read()).status).toBe(200);
		await set("off");
		expect(await repeated()).toBeLessThanOrEqual(2);
		expect(await holds()).toBe(before + 1);
		expect((await verify(server.db)).differences).toEqual([]);
	}, 120_000);
});
