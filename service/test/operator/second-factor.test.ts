import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { ListKeys } from "../../src/partners/keys/key-admin-contract.ts";
import {
	AddTotp,
	ConfirmTotp,
	GetMe,
	ListMyFactors,
	RemoveMyFactor,
	RenewRecoveryCodes,
	SignOut,
} from "../../src/partners/people/me-contract.ts";
import { totpOf } from "../../src/partners/people/totp.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, codeOf, operate } from "../operate.ts";
import { cookieOf, PASSWORD, personAt, signInAt } from "../person.ts";

let house: House;
let api: string;

beforeAll(async () => {
	house = await openHouse({ env: { HOLDFAST_ADMIN_SECOND_FACTOR: "required" } });
	({ api } = house);
});
afterAll(() => house.close());

const STEP_MS = 30_000;
/** The database's current step. A code works once, so each use of one asks for a later step than the last. */
async function codeNow(secret: string, ahead = 0): Promise<string> {
	const { rows } = await house.db.query<{ ms: number }>("select (extract(epoch from now()) * 1000)::float8 as ms");
	return totpOf(secret, Math.floor(must(rows[0], "now").ms / STEP_MS) + ahead);
}
const forgetSteps = () => house.db.query("update operator_factor set last_step = null");
const signIn = (name: string, code?: string) => signInAt(api, { name, password: PASSWORD, code });

async function withApp(name: string): Promise<{ as: As; secret: string; id: string; codes: string[] }> {
	const as = await personAt(api, house, name, "operator");
	const added = await operate(as, AddTotp, { body: { name: "phone" } });
	const { id, secret } = added.json.data;
	keepSecretsOf(JSON.stringify({ secret }));
	const body = { one_time_code: await codeNow(secret) };
	const confirmed = await operate(as, ConfirmTotp, { params: { id }, body });
	const codes: string[] = confirmed.json.data.recovery_codes;
	for (const code of codes) keepSecretsOf(JSON.stringify({ secret: code }));
	return { as, secret, id, codes };
}

describe("Where a second factor is required", () => {
	it("nothing but adding one is possible before there is one", async () => {
		const as = await personAt(api, house, "anna", "operator");
		expect(codeOf(await operate(as, ListKeys))).toEqual([401, "second_factor_needed"]);
		expect((await operate(as, GetMe)).json.data.second_factor).toBe("needed");
		const added = await operate(as, AddTotp, { body: { name: "phone" } });
		const { id, secret } = added.json.data;
		keepSecretsOf(JSON.stringify({ secret }));
		const wrong = await operate(as, ConfirmTotp, { params: { id }, body: { one_time_code: "000000" } });
		expect(codeOf(wrong)).toEqual([400, "invalid_input"]);
		expect(codeOf(await operate(as, ListKeys))).toEqual([401, "second_factor_needed"]);
		const confirmed = await operate(as, ConfirmTotp, {
			params: { id },
			body: { one_time_code: await codeNow(secret) },
		});
		expect(confirmed.json.data.recovery_codes).toHaveLength(10);
		for (const code of confirmed.json.data.recovery_codes) keepSecretsOf(JSON.stringify({ secret: code }));
		await expect.poll(async () => (await operate(as, ListKeys)).status).toBe(200);
		expect((await operate(as, GetMe)).json.data.second_factor).toBe("set");
		const { rows } = await house.db.query(
			"select body from audit_log where operation in ('add_totp', 'confirm_totp') and status < 300",
		);
		expect(rows).toEqual([{ body: { name: "phone" } }, { body: { one_time_code: "***" } }]);
	});

	it("who has signed in with the password alone does not get in because another browser adds one", async () => {
		const as = await personAt(api, house, "arno", "operator");
		const other: As = { api, cookie: cookieOf(await signIn("arno")) };
		expect(codeOf(await operate(other, ListKeys))).toEqual([401, "second_factor_needed"]);
		const added = await operate(as, AddTotp, { body: { name: "phone" } });
		const { id, secret } = added.json.data;
		keepSecretsOf(JSON.stringify({ secret }));
		const body = { one_time_code: await codeNow(secret) };
		const { json } = await operate(as, ConfirmTotp, { params: { id }, body });
		for (const code of json.data.recovery_codes) keepSecretsOf(JSON.stringify({ secret: code }));
		await expect.poll(async () => (await operate(as, ListKeys)).status).toBe(200);
		expect(codeOf(await operate(other, ListKeys))).toEqual([401, "unauthorized"]);
		expect(codeOf(await operate(other, GetMe))).toEqual([401, "unauthorized"]);
	});

	it("the last one stays", async () => {
		const { as, id } = await withApp("bert");
		const { json } = await operate(as, RemoveMyFactor, { params: { id } });
		expect(json.error.message).toBe("A second factor is required here: add another before you remove the last one.");
	});

	it("tokens and the socket need none, and have no account to look after", async () => {
		expect((await operate(house, ListKeys)).status).toBe(200);
		expect((await operate(house, GetMe)).json.data).toMatchObject({ via: "socket", session: null });
		for (const [operation, body] of [
			[AddTotp, { name: "phone" }],
			[RenewRecoveryCodes, undefined],
			[SignOut, undefined],
		] as const)
			expect(codeOf(await operate(house, operation, { body }))).toEqual([409, "not_possible_now"]);
		expect((await operate(house, ListMyFactors)).json.data).toEqual({
			items: [],
			next_cursor: null,
			recovery_codes_left: 0,
		});
	});
});

describe("With an authenticator app", () => {
	it("the password alone is not enough, and a code works once", async () => {
		const { secret } = await withApp("carl");
		const half = await signIn("carl");
		expect([...(codeOf(half) as unknown[]), half.json.error.message]).toEqual([
			401,
			"second_factor_needed",
			"Sign in with the code of your app, or with a recovery code.",
		]);
		await forgetSteps();
		const code = await codeNow(secret);
		const both = await Promise.all([signIn("carl", code), signIn("carl", code)]);
		expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
		for (const one of both) if (one.status === 200) cookieOf(one);
		expect(codeOf(await signIn("carl", await codeNow(secret, 9)))).toEqual([401, "unauthorized"]);
	});

	it("a recovery code signs in once, however it is typed, and new ones end the old ones", async () => {
		const { as, codes } = await withApp("dora");
		const [first = "", second = ""] = codes;
		cookieOf(await signIn("dora", first.toLowerCase().replaceAll("-", " ")));
		expect(codeOf(await signIn("dora", first))).toEqual([401, "unauthorized"]);
		expect((await operate(as, ListMyFactors)).json.data.recovery_codes_left).toBe(9);
		const renewed = await operate(as, RenewRecoveryCodes);
		expect(renewed.status).toBe(201);
		for (const code of renewed.json.data.recovery_codes) keepSecretsOf(JSON.stringify({ secret: code }));
		expect(codeOf(await signIn("dora", second))).toEqual([401, "unauthorized"]);
		cookieOf(await signIn("dora", renewed.json.data.recovery_codes[0]));
	});

	it("its secret is stored only encrypted, and leaves with it", async () => {
		const { as, secret } = await withApp("emil");
		const { rows } = await house.db.query("select f.*::text as row from operator_factor f where sealed is not null");
		for (const { row } of rows) expect(row).not.toContain(secret);
		const more = await operate(as, AddTotp, { body: { name: "tablet" } });
		keepSecretsOf(JSON.stringify(more.json.data));
		const id = more.json.data.id;
		const body = { one_time_code: await codeNow(more.json.data.secret) };
		expect((await operate(as, ConfirmTotp, { params: { id }, body })).json.data.recovery_codes).toBe(null);
		expect((await operate(as, RemoveMyFactor, { params: { id } })).json.data).toEqual({ removed: "tablet" });
		expect((await operate(as, ListMyFactors)).json.data.items).toHaveLength(1);
	});
});
