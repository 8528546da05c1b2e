import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { monotonicMs } from "../lib/clock.ts";
import { createAddresses } from "./address.ts";
import { type Connections, connectionLimits, createConnections } from "./connections.ts";

const LIMITS = { most: 30, mostPerAddress: 10 };
/** Of the proxy that is trusted; every address of 127.0.0.0/8 is this machine. */
const PROXY = "127.0.0.200";

let database: TestDatabase;
let doors: Doors;
let connections: Connections;
let token: string;
let ahead = 0;
const opened = new Set<Socket>();

beforeAll(async () => {
	database = await openTestDatabase();
});
beforeEach(async () => {
	ahead = 0;
	const addresses = createAddresses([`${PROXY}/32`]);
	connections = createConnections(addresses, { limits: LIMITS, now: () => monotonicMs() + ahead });
	doors = await openDoors(database.db, { addresses, connections });
	({ token } = await doors.mint());
});
afterEach(async () => {
	for (const socket of opened) socket.destroy();
	opened.clear();
	await doors.close();
});
afterAll(() => database.close());

/** A connection that says nothing. */
function dial(localAddress: string): Socket {
	const socket = connect({ port: doors.port, host: "127.0.0.1", localAddress });
	socket.on("error", () => undefined);
	socket.on("close", () => opened.delete(socket));
	opened.add(socket);
	return socket;
}

const silent = (count: number, localAddress: string): Socket[] =>
	Array.from({ length: count }, () => dial(localAddress));

/** Asks on a connection of its own, or on this one, and leaves it open; null: hung up. */
function ask(
	localAddress: string,
	authorization = `Bearer ${token}`,
	socket = dial(localAddress),
): Promise<number | null> {
	return new Promise((resolve) => {
		socket.on("data", (chunk) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString("latin1"))?.[1])));
		socket.on("close", () => resolve(null));
		socket.write(`GET /api/v1/look?sku=A HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
	});
}

const open = (): number => connections.open;
const timePasses = (): void => {
	ahead += 1_500;
};

describe("Connections are bounded, and nobody is shut out by others' silence", () => {
	it("one address has a share of its own: 1,500 silent connections of it leave the others room", async () => {
		const before = await Promise.all([1, 2, 3].map(() => ask("127.0.0.1")));
		for (let n = 0; n < 15; n++) {
			silent(100, "127.0.0.2");
			expect(await ask(`127.0.1.${n + 1}`)).toBe(200);
			await expect.poll(open).toBeLessThanOrEqual(LIMITS.most);
			timePasses();
		}
		expect(before).toEqual([200, 200, 200]);
		await expect.poll(() => opened.size).toBeLessThanOrEqual(LIMITS.most);
	});

	it("behind the crowded address itself a partner still gets in, in the place of the oldest silent connection", async () => {
		const [oldest, ...others] = silent(LIMITS.mostPerAddress, "127.0.0.2");
		await expect.poll(open).toBe(LIMITS.mostPerAddress);
		expect(await ask("127.0.0.2")).toBeNull(); // none of them had its time to speak
		timePasses();
		expect(await ask("127.0.0.2")).toBe(200);
		expect(oldest?.closed).toBe(true);
		expect(others.filter(({ closed }) => closed)).toEqual([]);
		expect(open()).toBe(LIMITS.mostPerAddress);
	});

	it("when all places are taken, from many addresses, a new partner takes the place of a silent one, never that of a partner", async () => {
		const partners = [dial("127.0.0.4"), dial("127.0.0.4")];
		for (const socket of partners) expect(await ask("127.0.0.4", undefined, socket)).toBe(200);
		for (const host of [5, 6, 7]) silent(LIMITS.mostPerAddress, `127.0.0.${host}`);
		await expect.poll(open).toBe(LIMITS.most);
		timePasses();
		// connections that asked without a good key are strangers like the silent ones
		expect(await ask("127.0.0.8", "Bearer x")).toBe(401);
		for (let n = 0; n < LIMITS.mostPerAddress; n++) expect(await ask("127.0.0.9")).toBe(200);
		expect(open()).toBe(LIMITS.most);
		for (const socket of partners) expect(await ask("127.0.0.4", undefined, socket)).toBe(200);
	});

	it("a trusted proxy has no share to keep to, and its connections are never hung up to make room", async () => {
		const behind = silent(2 * LIMITS.mostPerAddress, PROXY);
		await expect.poll(open).toBe(behind.length);
		timePasses();
		for (let n = 0; n < 15; n++) await ask("127.0.0.3");
		expect(behind.filter(({ closed }) => closed)).toEqual([]);
		expect(open()).toBeLessThanOrEqual(LIMITS.most);
	});

	it("every place is free again once its connection is closed", async () => {
		for (const socket of silent(LIMITS.mostPerAddress, "127.0.0.2")) socket.destroySoon();
		await expect.poll(open).toBe(0);
		for (let n = 0; n < LIMITS.mostPerAddress; n++) expect(await ask("127.0.0.2")).toBe(200);
	});
});

it("the limits follow what the process may open", () => {
	expect(connectionLimits(1_024)).toEqual({ most: 824, mostPerAddress: 206 });
	expect(connectionLimits(1_048_576)).toEqual({ most: 10_000, mostPerAddress: 2_500 });
	expect(connectionLimits(null)).toEqual({ most: 10_000, mostPerAddress: 2_500 });
	expect(connectionLimits(100)).toEqual({ most: 1, mostPerAddress: 1 });
});
