import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { createAddresses } from "./address.ts";
import { type ConnectionLimits, type Connections, connectionLimits, createConnections } from "./connections.ts";
import { addHealth } from "./health.ts";
import type { HttpServer } from "./mount.ts";

const LIMITS: ConnectionLimits = {
	most: 30,
	mostPerAddress: 10,
	mostStrangersPerAddress: 10,
	mostPerCaller: 12,
	mostOfCallers: 26,
	probes: 8,
};
/** Address of the trusted proxy; every address of 127.0.0.0/8 is this machine. */
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
	const extend = (_: unknown, server: HttpServer): void => addHealth(server, async () => null);
	doors = await openDoors(database.db, { addresses, connections, extend });
	({ token } = await doors.mint());
});
afterEach(async () => {
	for (const socket of opened) socket.destroy();
	opened.clear();
	await doors.close();
});
afterAll(() => database.close());

/** A silent connection. */
function dial(localAddress: string): Socket {
	const socket = connect({ port: doors.port, host: "127.0.0.1", localAddress }).setMaxListeners(0);
	socket.on("error", () => undefined);
	socket.on("close", () => opened.delete(socket));
	opened.add(socket);
	return socket;
}

const silent = (count: number, localAddress: string): Socket[] =>
	Array.from({ length: count }, () => dial(localAddress));

/** Sends a request on a new connection, or on the given one, and leaves it open; null: the connection was closed. */
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

/** Sends a probe on a new connection; null: the connection was closed. */
function probe(localAddress: string): Promise<number | null> {
	const socket = dial(localAddress);
	return new Promise((resolve) => {
		socket.on("data", (chunk) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString("latin1"))?.[1])));
		socket.on("close", () => resolve(null));
		socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
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
		expect(await ask("127.0.0.2")).toBeNull(); // none of them has had its time to show a key
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
		const beyond = partners.length; // the others have places for probes
		await expect.poll(open).toBe(LIMITS.most + beyond);
		timePasses();
		// connections that sent requests without a valid key count like silent ones
		expect(await ask("127.0.0.8", "Bearer x")).toBe(401);
		for (let n = 0; n < LIMITS.mostPerAddress; n++) expect(await ask("127.0.0.9")).toBe(200);
		expect(open()).toBe(LIMITS.most + beyond);
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

	it("one key has a share of its own, from however many addresses: the one used longest ago goes", async () => {
		const held: Socket[] = [];
		const grab = async (host: number): Promise<void> => {
			const socket = dial(`127.0.2.${host}`);
			held.push(socket);
			expect(await ask(`127.0.2.${host}`, undefined, socket)).toBe(200);
		};
		for (let n = 0; n < LIMITS.mostPerCaller; n++) await grab((n % 5) + 1);
		const [first, second] = held;
		expect(await ask("127.0.2.1", undefined, first)).toBe(200); // so the second is the least recently used one
		await grab(9);
		await expect.poll(() => second?.closed).toBe(true);
		expect(held.filter(({ closed }) => closed)).toEqual([second]);
		for (let n = 0; n < 3 * LIMITS.most; n++) await grab((n % 5) + 1);
		const { token: other } = await doors.mint();
		for (let n = 1; n <= 10; n++) expect(await ask("127.0.3.1", `Bearer ${other}`)).toBe(200);
		await expect.poll(open).toBeLessThanOrEqual(2 * LIMITS.mostPerCaller);
	});

	it("all keys together leave places for those who have yet to show theirs", async () => {
		const tokens = [token, ...(await Promise.all([1, 2, 3].map(async () => (await doors.mint()).token)))];
		for (const [at, one] of tokens.entries()) {
			for (let n = 0; n < 9; n++) expect(await ask(`127.0.4.${at + 1}`, `Bearer ${one}`)).toBe(200);
		}
		const { token: late } = await doors.mint();
		for (let n = 0; n < 20; n++) {
			expect(await ask("127.0.5.1", `Bearer ${late}`)).toBe(200);
			await expect.poll(open).toBeLessThanOrEqual(LIMITS.mostOfCallers);
		}
	});

	it("probes are answered on a connection that is beyond every limit, and nothing else is", async () => {
		silent(LIMITS.mostPerAddress, "127.0.0.2");
		await expect.poll(open).toBe(LIMITS.mostPerAddress);
		silent(3 * LIMITS.probes, "127.0.0.2"); // more than the share of the address
		for (let n = 0; n < 20; n++) expect(await probe("127.0.0.2")).toBe(200);
		expect(await ask("127.0.0.2")).toBeNull();
		for (const host of [5, 6]) silent(LIMITS.mostPerAddress, `127.0.0.${host}`);
		await expect.poll(() => open() >= LIMITS.most).toBe(true);
		for (let n = 0; n < 20; n++) expect(await probe(`127.0.6.${n + 1}`)).toBe(200);
		expect(open()).toBeLessThanOrEqual(LIMITS.most + LIMITS.probes);
	});

	it("a key that goes on beyond its rate is hung up: each connection after 60 refusals in a row", async () => {
		const { token: slow } = await doors.mint({ requestsPerMinute: 1 });
		const socket = dial("127.0.0.1");
		const request = `GET /api/v1/look?sku=A HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow}\r\n\r\n`;
		let told = "";
		socket.on("data", (chunk) => {
			told += chunk.toString("latin1");
		});
		const closed = new Promise((resolve) => socket.once("close", resolve));
		// one after the other: unread bytes would end the connection with a reset, which may lose replies
		for (let replies = 0; replies < 61; replies++) {
			socket.write(request);
			await expect.poll(() => told.match(/HTTP\/1.1/g)?.length ?? 0, { interval: 1 }).toBeGreaterThan(replies);
		}
		await closed;
		expect(told.match(/HTTP\/1.1 200/g)).toHaveLength(1);
		expect(told.match(/HTTP\/1.1 429/g)).toHaveLength(60);
		expect(told.match(/connection: close/gi)).toHaveLength(1);
	});

	it("whoever keeps to its rate after some refusals keeps its connection", async () => {
		const { token: slow } = await doors.mint({ requestsPerMinute: 1 });
		const socket = dial("127.0.0.1");
		for (let round = 0; round < 3; round++) {
			for (let n = 0; n < 40; n++) {
				expect(await ask("127.0.0.1", `Bearer ${slow}`, socket)).toBe(round + n === 0 ? 200 : 429);
			}
			expect(await ask("127.0.0.1", undefined, socket)).toBe(200);
		}
	});

	it("every place is free again once its connection is closed", async () => {
		for (const socket of silent(LIMITS.mostPerAddress, "127.0.0.2")) socket.destroySoon();
		await expect.poll(open).toBe(0);
		for (let n = 0; n < LIMITS.mostPerAddress; n++) expect(await ask("127.0.0.2")).toBe(200);
	});
});

it("the limits follow what the process may open", () => {
	const most = {
		most: 10_000,
		mostPerAddress: 2_500,
		mostStrangersPerAddress: 625,
		mostPerCaller: 1_250,
		mostOfCallers: 8_750,
		probes: 64,
	};
	expect(connectionLimits(1_048_576)).toEqual(most);
	expect(connectionLimits(null)).toEqual(most);
	expect(connectionLimits(1_024)).toEqual({
		most: 760,
		mostPerAddress: 190,
		mostStrangersPerAddress: 128,
		mostPerCaller: 95,
		mostOfCallers: 665,
		probes: 64,
	});
	expect(connectionLimits(100)).toMatchObject({ most: 1, mostPerAddress: 1, mostPerCaller: 1 });
});
