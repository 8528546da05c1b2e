import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { newOperatorToken } from "../../../service/src/partners/operators/token.ts";
import { type House, openHouse, openTestDatabase, type TestDatabase } from "../../../service/test/house.ts";
import { keepSecretsOf } from "../../../service/test/leaks/secrets.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

/*
 * Commands that call the operator's API: on the socket of a running service, with a token from another machine, and
 * without a service, where the command itself serves the API while it runs.
 */

const run = async (env: Record<string, string>, ...args: string[]) => {
	const done = await holdfast([...args, "--json"], env);
	keepSecretsOf(JSON.stringify(done.json ?? {}));
	return done;
};

describe("Beside a running service", () => {
	let house: House;
	let env: Record<string, string>;
	beforeAll(async () => {
		house = await openHouse();
		env = { HOLDFAST_ADMIN_SOCKET: house.socket };
	});
	afterAll(() => house.close());

	it("a token is made on the socket, used from elsewhere by address, and refused once it is revoked", async () => {
		const minted = (await run(env, "operators", "token", "ci", "--role", "admin", "--expires", "90d")).json;
		expect(minted).toMatchObject({ name: "ci", role: "admin", state: "active" });
		const elsewhere = { HOLDFAST_URL: house.api, HOLDFAST_OPERATOR_TOKEN: minted.token };
		const { items } = (await run(elsewhere, "audit", "list", "--about", "ci")).json;
		expect(items).toMatchObject([{ operation: "mint_token", via: "socket", status: 201 }]);
		expect((await run(elsewhere, "operators", "token", "later", "--role", "viewer")).code).toBe(0);
		expect((await run(elsewhere, "operators", "tokens")).json.items).toMatchObject([{ name: "ci" }, { name: "later" }]);
		const first = await holdfast(["operators", "tokens", "--limit", "1"], elsewhere);
		expect(first.out).toMatch(/^NAME [^\n]*\nci [^\n]*\n\nMore with --cursor \S+\n$/);
		expect((await run(elsewhere, "operators", "revoke-token", minted.id)).json.state).toBe("revoked");
		// a node may use a read of the tokens that is a quarter of a second old
		const refused = async () => (await run(elsewhere, "audit", "verify")).json.error?.code;
		await expect.poll(refused).toBe("unauthorized"); // a process must start first
		expect((await run(env, "audit", "verify")).json).toMatchObject({ whole: true, rows: 3, broken_at: null });
	});

	it("a refusal is the API's own, and what is missing for a call from elsewhere is said", async () => {
		const { code, json } = await run(env, "operators", "revoke-token", "none");
		expect([code, json.error]).toEqual([1, { code: "not_found", message: "There is no token with this id." }]);
		const { op, os } = newOperatorToken();
		const alone = await run({ HOLDFAST_OPERATOR_TOKEN: `${op}:${os}` }, "operators", "tokens");
		expect([alone.code, alone.json.error.message]).toEqual([1, expect.stringContaining("HOLDFAST_URL")]);
		const nobody = { HOLDFAST_URL: "http://127.0.0.1:9", HOLDFAST_OPERATOR_TOKEN: `${op}:${os}` };
		expect((await run(nobody, "operators", "tokens")).json.error.message).toContain("cannot be reached");
	});
});

describe("Without a service", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await openTestDatabase();
	});
	afterAll(() => database.close());

	it("the commands open the database themselves, with the same effect and the same audit log", async () => {
		const env = {
			HOLDFAST_DATABASE_URL: database.url,
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
			HOLDFAST_ADMIN_SOCKET: "/nonexistent/admin.sock",
		};
		expect((await run(env, "operators", "token", "nightly", "--role", "operator")).code).toBe(0);
		const again = await run(env, "operators", "token", "nightly", "--role", "operator");
		expect([again.code, again.json.error.code]).toEqual([1, "invalid_input"]);
		expect((await run(env, "audit", "list")).json.items).toMatchObject([{ operation: "mint_token", about: "nightly" }]);
		await database.db.query("alter table audit_log disable trigger user");
		await database.db.query("update audit_log set actor = 'operator:other'");
		const verdict = await run(env, "audit", "verify");
		expect([verdict.code, verdict.json]).toMatchObject([1, { whole: false, rows: 1, broken_at: 1 }]);
	});
});
