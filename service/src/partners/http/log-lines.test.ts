import { afterAll, beforeAll, expect, it } from "vitest";
import { openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { createLog } from "../../ground/lib/log.ts";

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

it("each request leaves one log line, without credentials or contents", async () => {
	const lines: string[] = [];
	const other = await openDoors(database.db, { log: createLog("info", { write: (line) => void lines.push(line) }) });
	const minted = await other.mint();
	const sent = { items: [{ sku: "CONTENTS", qty: 1 }] };
	for (const authorization of [`Bearer ${minted.token}`, "Bearer pk_hf_live_x:sk_hf_live_y"]) {
		const response = await fetch(`${other.origin}/api/v1/echo`, {
			method: "POST",
			headers: { authorization, "content-type": "application/json" },
			body: JSON.stringify(sent),
		});
		await response.text();
	}
	await other.close();
	const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	expect(told).toMatchObject([
		{ msg: "request", operation: "echo", status: 201, pk: minted.pk, requestId: expect.stringMatching(/^req_/) },
		{ msg: "request", operation: "echo", status: 401, code: "unauthorized" },
	]);
	expect(lines.join("")).not.toMatch(/sk_hf|Bearer|CONTENTS/);
});

it("an outage leaves a line for each request that failed, and its stack once", async () => {
	const lines: string[] = [];
	const other = await openDoors(database.db, { log: createLog("info", { write: (line) => void lines.push(line) }) });
	const { token: key } = await other.mint();
	for (let n = 0; n < 50; n++) {
		const response = await fetch(`${other.origin}/api/v1/echo`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify({ items: [{ sku: "BUG", qty: 1 }] }),
		});
		await response.text();
	}
	await other.close();
	const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	expect(told.filter(({ msg, status }) => msg === "request" && status === 500)).toHaveLength(50);
	const failures = told.filter(({ msg }) => msg !== "request");
	expect(failures).toMatchObject([{ msg: "a request failed", requestId: expect.any(String), operation: "echo" }]);
	expect(failures[0]?.error).toMatch(/bug: asked for\n\s+at /);
});
