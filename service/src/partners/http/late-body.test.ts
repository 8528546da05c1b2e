import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { rotateKey } from "../keys/rotate-key.ts";
import { revokeKey, suspendKey } from "../keys/suspend-key.ts";

let database: TestDatabase;
let doors: Doors;

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db);
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

const BODY = JSON.stringify({ items: [{ sku: "A", qty: 1 }] });

/** Sends a request except for the end of its body, calls `meanwhile`, sends the end, and reads the reply. */
async function late(token: string, meanwhile: () => Promise<unknown>, body = BODY): Promise<string> {
	const socket = connect(doors.port, "127.0.0.1");
	let answer = "";
	socket.on("data", (chunk) => {
		answer += chunk.toString("latin1");
	});
	// a reply may come, and end the connection, before the rest of the body is sent
	socket.on("error", () => undefined);
	const closed = new Promise((resolve) => socket.on("close", resolve));
	socket.write(
		`POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
	);
	await fetch(`${doors.origin}/api/versions`).then((response) => response.text());
	await meanwhile();
	await doors.cache.refresh();
	socket.write(body.slice(10));
	await closed;
	return answer;
}

/** A reply without the parts that differ from one to the next. */
const told = (answer: string): string => answer.replace(/(X-Request-Id|Date): [^\r]*/gi, "$1");

describe("A request whose key ends before its body does", () => {
	it("is 401, to the byte as if the key had never been", async () => {
		const never = told(await late("nonsense", async () => undefined));
		expect(never).toMatch(/^HTTP\/1.1 401 /);
		for (const end of [revokeKey, suspendKey]) {
			const { token, pk } = await doors.mint();
			expect(told(await late(token, () => transaction<unknown>(database.db, (tx) => end(tx, pk))))).toBe(never);
		}
		// before the body is checked: its contents no longer matter
		const { token, pk } = await doors.mint();
		expect(told(await late(token, () => transaction(database.db, (tx) => revokeKey(tx, pk)), "{".repeat(50)))).toBe(
			never,
		);
	});

	it("is 401 when its secret alone was rotated out", async () => {
		const { token, pk } = await doors.mint();
		const rotate = () => transaction(database.db, (tx) => rotateKey(tx, doors.ring, pk, 0));
		expect(await late(token, rotate)).toMatch(/^HTTP\/1.1 401 /);
	});

	it("is served when nothing of the kind happened, and when the rotation leaves an overlap", async () => {
		const { token, pk } = await doors.mint();
		expect(await late(token, async () => undefined)).toMatch(/^HTTP\/1.1 201 /);
		const rotate = () => transaction(database.db, (tx) => rotateKey(tx, doors.ring, pk, 1));
		expect(await late(token, rotate)).toMatch(/^HTTP\/1.1 201 /);
	});

	it("a use case that finds the key ended answers the same 401", async () => {
		const { token } = await doors.mint();
		const body = JSON.stringify({ items: [{ sku: "ENDED", qty: 1 }] });
		const never = told(await late("nonsense", async () => undefined, body));
		expect(told(await late(token, async () => undefined, body))).toBe(never);
	});
});
