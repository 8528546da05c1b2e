import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { createKeylessTurns } from "./keyless-turns.ts";

const CONNECTIONS = 200;
/** Number of pipelined requests on each of them. */
const PIPELINED = 4;

let database: TestDatabase;
let doors: Doors;
let token: string;
const opened = new Set<Socket>();
beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db);
	({ token } = await doors.mint());
});
afterEach(() => {
	for (const socket of opened) socket.destroy();
	opened.clear();
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

async function dial(localAddress: string): Promise<Socket> {
	const socket = connect({ port: doors.port, host: "127.0.0.1", localAddress });
	socket.on("error", () => undefined);
	opened.add(socket);
	await once(socket, "connect");
	return socket;
}

/** Sends a request on this connection; resolves with the status. */
function ask(socket: Socket, path: string, headers = ""): Promise<number> {
	return new Promise((resolve) => {
		socket.once("data", (chunk) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString("latin1"))?.[1])));
		socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
	});
}

const PATHS = ["/api/versions", "/docs/nothing", "/nowhere"];

describe("Requests without a key", () => {
	it.each(PATHS)(
		"flooded by one address at %s: those of partners, and of other addresses, go before most of them",
		async (path) => {
			const partner = await dial("127.0.0.1");
			const key = `Authorization: Bearer ${token}\r\n`;
			expect(await ask(partner, "/api/v1/look?sku=A", key)).toBe(200);
			const [newcomer, buyer, late] = [await dial("127.0.0.3"), await dial("127.0.0.4"), await dial("127.0.0.2")];
			const flood = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial("127.0.0.2")));
			const { server } = doors.server.app;
			const accepted = (): Promise<number> =>
				new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
			await expect.poll(accepted).toBe(CONNECTIONS + 4);
			let answered = 0;
			const whole = Promise.all(
				flood.map(async (socket) => {
					for (let left = PIPELINED; left > 0; ) {
						const [chunk] = (await once(socket, "data")) as [Buffer];
						const replies = chunk.toString("latin1").match(/HTTP\/1.1 /g)?.length ?? 0;
						answered += replies;
						left -= replies;
					}
				}),
			);
			for (const socket of flood) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(PIPELINED));
			// the last request of the flood, sent before the others
			let isLateAnswered = false;
			const lateAnswer = ask(late, path).then(() => {
				isLateAnswered = true;
			});
			const others = [
				ask(partner, "/api/v1/look?sku=A", key),
				ask(newcomer, "/api/v1/look?sku=A", key),
				ask(buyer, "/api/versions"),
			];
			expect(await Promise.all(others)).toEqual([200, 200, 200]);
			expect(isLateAnswered).toBe(false);
			await Promise.all([whole, lateAnswer]);
			expect(answered).toBe(CONNECTIONS * PIPELINED);
		},
	);
});

describe("Turns of addresses", () => {
	it("are taken one after the other, and what is more than may wait is not taken", async () => {
		const turns = createKeylessTurns();
		const served: string[] = [];
		let taken = 0;
		while (turns.take("busy", () => served.push("busy"))) taken++;
		expect(taken).toBe(1_000);
		for (let n = 0; n < 5; n++) expect(turns.take("other", () => served.push("other"))).toBe(true);
		await expect.poll(() => served.length).toBe(1_005);
		expect(served.lastIndexOf("other")).toBeLessThan(50);
		expect(turns.take("busy", () => served.push("again"))).toBe(true);
	});

	it("do not use up a turn of the event loop", async () => {
		const turns = createKeylessTurns();
		let served = 0;
		for (let n = 0; n < 100; n++) turns.take("busy", () => served++);
		await new Promise(setImmediate);
		await new Promise(setImmediate);
		expect(served).toBeGreaterThan(0);
		expect(served).toBeLessThan(30);
		await expect.poll(() => served).toBe(100);
	});
});
