import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { MintKey } from "../../src/partners/keys/key-admin-contract.ts";
import { MakePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { ListTokens, MintToken } from "../../src/partners/operators/contract.ts";
import { FindInvitation, SetUp } from "../../src/partners/people/contract.ts";
import { ChangeMe, EndMySession, GetMe, ListMySessions, SignOut } from "../../src/partners/people/me-contract.ts";
import {
	ChangePerson,
	EndSessionsOfPerson,
	InvitePerson,
	ListPeople,
	ListSessionsOfPerson,
} from "../../src/partners/people/people-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, operate } from "../operate.ts";
import { cookieOf, linkFor, PASSWORD, personAt, signInAt } from "../person.ts";

let house: House;
let api: string;
const nobody = (): As => ({ api, token: null });

beforeAll(async () => {
	house = await openHouse({ nodes: 2 });
	({ api } = house);
});
afterAll(() => house.close());

const sql = (text: string, ...values: unknown[]) => house.db.query(text, values);
/** Refused on both nodes, within the second that the contract gives. */
async function isRefusedEverywhere({ cookie }: { cookie: string }): Promise<void> {
	const deadline = performance.now() + 1_000;
	const ask = (): Promise<number[]> =>
		Promise.all(house.nodes.map(async (node) => (await operate({ api: node.api, cookie }, GetMe)).status));
	let statuses = await ask();
	while (statuses.includes(200) && performance.now() < deadline) statuses = await ask();
	expect(statuses).toEqual([401, 401]);
}
const person = async (name: string, role: "viewer" | "operator" | "admin" = "operator") => {
	const as = await personAt(api, house, name, role);
	return { as, cookie: "cookie" in as ? as.cookie : "" };
};
const lastAudit = async (): Promise<Record<string, unknown>> =>
	must((await sql("select * from audit_log order by seq desc limit 1")).rows[0], "a row");

describe("A set-up link", () => {
	it("names its person, is used once, and signs the person in under that name", async () => {
		const token = await linkFor(house, "Anna", "operator");
		const found = await operate(nobody(), FindInvitation, { body: { token } });
		expect(found.json.data).toMatchObject({ name: "Anna", role: "operator", may_choose_name: false });
		const weak = await operate(nobody(), SetUp, { body: { token, password: "anna12345678" } });
		expect([weak.status, weak.json.error.message]).toEqual([400, expect.stringMatching(/^\/password: it /)]);
		const renamed = await operate(nobody(), SetUp, { body: { token, password: PASSWORD, name: "root" } });
		expect(renamed.json.error.message).toBe("/name: this link is for the name it was made with");
		const done = await operate(nobody(), SetUp, { body: { token, password: PASSWORD } });
		expect(done.json.data).toEqual({ name: "Anna", role: "operator" });
		expect(String(done.headers["set-cookie"])).toMatch(/^holdfast=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
		const anna: As = { api, cookie: cookieOf(done) };
		expect((await operate(anna, GetMe)).json.data).toMatchObject({
			name: "Anna",
			via: "session",
			second_factor: "none",
			session: { current: true },
		});
		const again = await operate(nobody(), SetUp, { body: { token, password: PASSWORD } });
		expect([again.status, again.json.error.code]).toEqual([404, "not_found"]);
		expect((await operate(anna, MakePartner, { body: { name: "Acme" } })).status).toBe(201);
		expect(await lastAudit()).toMatchObject({ actor: "operator:Anna", via: "session", operation: "make_partner" });
	});

	it("ends after 15 minutes, when a newer one is made, and when the person is suspended", async () => {
		const first = await linkFor(house, "bert", "viewer");
		const second = await linkFor(house, "bert", "viewer");
		const third = async (): Promise<string> => await linkFor(house, "bert", "viewer");
		const status = async (token: string) => (await operate(nobody(), FindInvitation, { body: { token } })).status;
		expect([await status(first), await status(second)]).toEqual([404, 200]);
		await sql("update operator_person set link_expires_at = now() where name = 'bert'");
		expect(await status(second)).toBe(404);
		const open = await third();
		await operate(house, ChangePerson, { params: { name: "bert" }, body: { state: "suspended" } });
		expect(await status(open)).toBe(404);
		const { json } = await operate(house, InvitePerson, { body: { name: "BERT", role: "viewer" } });
		expect(json.error.message).toBe("bert is suspended: make bert active first.");
		await operate(house, ChangePerson, { params: { name: "bert" }, body: { state: "active" } });
		const { json: people } = await operate(house, ListPeople);
		expect(people.data.items).toContainEqual(expect.objectContaining({ name: "bert", state: "invited" }));
	});

	it("is the way back in, and ends everything that let the person in before", async () => {
		const { cookie } = await person("carl");
		const token = await linkFor(house, "carl", "operator");
		const password = "another river under old bridges";
		const done = await operate(nobody(), SetUp, { body: { token, password } });
		expect(done.status).toBe(200);
		await isRefusedEverywhere({ cookie });
		expect((await signInAt(api, { name: "carl", password: PASSWORD })).status).toBe(401);
		cookieOf(await signInAt(api, { name: "carl", password }));
	});
});

it("An invited person who is not suspended stays invited when they are resumed", async () => {
	await linkFor(house, "ines", "viewer");
	const { json } = await operate(house, ChangePerson, { params: { name: "ines" }, body: { state: "active" } });
	expect(json.data.state).toBe("invited");
});

describe("Signing in", () => {
	beforeAll(async () => {
		await person("dora");
		await person("emil");
		await operate(house, ChangePerson, { params: { name: "emil" }, body: { state: "suspended" } });
		await linkFor(house, "fred", "viewer");
	});

	it("takes the name in any case, and writes who signed in, without the password", async () => {
		const done = await signInAt(api, { name: "DORA", password: PASSWORD }, { "user-agent": "Firefox" });
		expect([done.status, done.json.data]).toEqual([200, { name: "dora", role: "operator" }]);
		cookieOf(done);
		expect(await lastAudit()).toMatchObject({
			actor: "operator:dora",
			operation: "sign_in",
			about: "dora",
			body: { name: "dora" },
			status: 200,
		});
	});

	it("is refused in the same words for an unknown name, a wrong password, and people who may not come in", async () => {
		const before = (await sql("select max(seq) as seq from audit_log")).rows[0]?.seq;
		const wrong = ["nobody", "dora", "emil", "fred"].map((name) =>
			signInAt(api, { name, password: name === "emil" ? PASSWORD : "not the password at all" }),
		);
		const bodies = (await Promise.all(wrong)).map(({ status, json }) => [status, json]);
		expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
		expect(bodies[0]?.[0]).toBe(401);
		const { rows } = await sql("select about, status, code from audit_log where seq > $1 order by about", before);
		expect(rows).toEqual(["dora", "emil", "fred"].map((about) => ({ about, status: 401, code: "unauthorized" })));
	});

	it("is throttled by name, whether it exists or not, and neither sessions nor other names suffer", async () => {
		const { as } = await person("gina");
		for (const name of ["gina", "nobody-at-all"]) {
			const tries = Array.from({ length: 12 }, (_, n) =>
				signInAt(api, { name, password: `guess number ${n} of many` }, { "x-forwarded-for": `203.0.113.${n}` }),
			);
			const statuses = (await Promise.all(tries)).map(({ status }) => status);
			expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(10);
			const later = await signInAt(api, { name, password: PASSWORD });
			expect([later.status, later.json.error.code]).toEqual([429, "rate_limited"]);
		}
		expect((await operate(as, GetMe)).status).toBe(200);
		cookieOf(await signInAt(api, { name: "dora", password: PASSWORD }));
	});

	it("and using a link are refused when another site's page asks for it", async () => {
		const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" };
		const answer = await signInAt(api, { name: "dora", password: PASSWORD }, foreign);
		expect([answer.status, answer.json.error.code]).toEqual([403, "forbidden"]);
		const old = await signInAt(api, { name: "dora", password: PASSWORD }, { origin: "https://evil.test" });
		expect(old.status).toBe(403);
	});
});

describe("A session", () => {
	it("is listed, ended one by one, and refused by every node within a second", async () => {
		const { as, cookie } = await person("hans");
		const other = cookieOf(await signInAt(api, { name: "hans", password: PASSWORD }, { "user-agent": "Tablet" }));
		const { json } = await operate(as, ListMySessions);
		expect(
			json.data.items.map((one: { user_agent: string; current: boolean }) => [one.user_agent, one.current]),
		).toEqual([
			["Tablet", false],
			["", true],
		]);
		const ended = await operate(as, EndMySession, { params: { id: json.data.items[0].id } });
		expect(ended.status).toBe(200);
		await isRefusedEverywhere({ cookie: other });
		const out = await operate(as, SignOut);
		expect(String(out.headers["set-cookie"])).toMatch(/^holdfast=; .*Max-Age=0$/);
		await isRefusedEverywhere({ cookie });
	});

	it.each([
		["another role", { role: "viewer" }],
		["being suspended", { state: "suspended" }],
	])("ends with %s", async (what, body) => {
		const name = `ida-${what.length}`;
		const { cookie } = await person(name);
		const changed = await operate(house, ChangePerson, { params: { name }, body: { ...body, reason: "a test" } });
		expect(changed.json.data).toMatchObject(body);
		await isRefusedEverywhere({ cookie });
	});

	it("ends with another password, and the browser that chose it goes on in a new one", async () => {
		const { as, cookie } = await person("jana");
		const password = "another river under old bridges";
		const ask = (body: object) => operate(as, ChangeMe, { body });
		expect((await ask({ password })).json.error.message).toBe("/current_password: type the current password too");
		const wrong = await ask({ password, current_password: "not the password at all" });
		expect(wrong.json.error.message).toBe("/current_password: this is not the current password");
		expect((await ask({ password: "jana", current_password: PASSWORD })).json.error.message).toMatch(
			/^\/password: it has/,
		);
		const done = await ask({ password, current_password: PASSWORD, email: "jana@example.com" });
		expect(done.json.data).toMatchObject({ name: "jana", email: "jana@example.com", session: { current: true } });
		const later: As = { api, cookie: cookieOf(done) };
		await isRefusedEverywhere({ cookie });
		expect((await operate(later, GetMe)).json.data.email).toBe("jana@example.com");
		expect((await lastAudit()).body).toEqual({ email: "jana@example.com", password: "***", current_password: "***" });
	});

	it("that a new password begins is as old as the one before: to change it is no sign-in", async () => {
		const { as } = await person("jakob", "admin");
		await sql("update operator_session set created_at = now() - interval '11 minutes'");
		await sql("select pg_sleep(0.3)"); // longer than a node may know the session as it was
		const before = (await operate(as, GetMe)).json.data;
		const body = { password: "another river under old bridges", current_password: PASSWORD };
		const done = await operate(as, ChangeMe, { body });
		const later: As = { api, cookie: cookieOf(done) };
		expect(done.json.data.fresh_until).toBe(before.fresh_until);
		const minted = await operate(later, MintToken, { body: { name: "late", role: "viewer" } });
		expect([minted.status, minted.json.error?.code]).toEqual([403, "fresh_sign_in_needed"]);
	});

	it("ends for all of a person's browsers when an admin says so", async () => {
		const { cookie } = await person("kurt");
		const listed = await operate(house, ListSessionsOfPerson, { params: { name: "kurt" } });
		expect(listed.json.data.items).toHaveLength(1);
		const { json } = await operate(house, EndSessionsOfPerson, { params: { name: "kurt" } });
		expect(json.data).toEqual({ ended: 1 });
		await isRefusedEverywhere({ cookie });
	});

	it("ends when it was idle for too long: an admin's after half an hour", async () => {
		const [admin, viewer] = [await person("lena", "admin"), await person("lara", "viewer")];
		await sql("update operator_session set seen_at = now() - interval '31 minutes'");
		await isRefusedEverywhere(admin);
		expect((await operate(viewer.as, GetMe)).status).toBe(200);
		const seen = async () =>
			(await sql("select count(*)::int as n from operator_session where seen_at > now() - interval '1 minute'")).rows[0]
				?.n;
		await expect.poll(seen).toBeGreaterThan(0); // its use is recorded
	});

	it("is a person's, not a token's: a page of another address cannot use it, and an own header goes before it", async () => {
		const { as, cookie } = await person("mona", "admin");
		const write = (headers: Record<string, string>) =>
			operate({ api, token: null }, MakePartner, { body: { name: "Evil" }, headers });
		for (const headers of [
			{ cookie },
			{ cookie, "sec-fetch-site": "cross-site" },
			{ cookie, "sec-fetch-site": "same-site" },
			{ cookie, origin: "https://evil.test" },
		]) {
			const { status, json } = await write(headers);
			expect([status, json.error.code]).toEqual([403, "forbidden"]);
		}
		expect((await write({ cookie, origin: new URL(api).origin })).status).toBe(201);
		const { json } = await operate(house, MintToken, { body: { name: "mona-script", role: "viewer" } });
		keepSecretsOf(JSON.stringify(json));
		const both = await operate({ api, token: json.data.token }, ListTokens, { headers: { cookie } });
		expect(both.status).toBe(403); // the token's role
		expect((await operate(as, ListTokens)).status).toBe(200);
	});

	it("more than ten minutes old asks for a sign-in before keys, tokens and people, and for nothing else", async () => {
		const { as } = await person("nina", "admin");
		await sql("update operator_session set created_at = now() - interval '11 minutes'");
		await sql("select pg_sleep(0.3)"); // longer than a node may know the session as it was
		const key = { name: "web", partner: "Acme", environment: "sandbox", preset: "fulfilment" };
		for (const [operation, body] of [
			[MintKey, key],
			[MintToken, { name: "late", role: "viewer" }],
			[InvitePerson, { name: "otto", role: "viewer" }],
		] as const) {
			const { status, json } = await operate(as, operation, { body });
			expect([status, json.error.code]).toEqual([403, "fresh_sign_in_needed"]);
			expect(await lastAudit()).toMatchObject({ code: "fresh_sign_in_needed", operation: operation.id });
		}
		expect((await operate(as, MakePartner, { body: { name: "Ok" } })).status).toBe(201);
		const fresh: As = { api, cookie: cookieOf(await signInAt(api, { name: "nina", password: PASSWORD })) };
		const minted = await operate(fresh, MintToken, { body: { name: "late", role: "viewer" } });
		keepSecretsOf(JSON.stringify(minted.json));
		expect(minted.status).toBe(201);
	});
});

it("nobody suspends themselves or gives up their own role, and names are one's own whatever their case", async () => {
	const { as } = await person("olga", "admin");
	for (const body of [{ state: "suspended" }, { role: "viewer" }]) {
		const { json } = await operate(as, ChangePerson, { params: { name: "olga" }, body });
		expect(json.error.message).toBe("You cannot change your own role or state: ask another admin.");
	}
	const { json } = await operate(as, InvitePerson, { body: { name: "OLGA", role: "viewer" } });
	expect(json.error.message).toBe("olga has the role admin: give that role, or change it first.");
	const bad = await operate(as, InvitePerson, { body: { name: "token/x", role: "viewer" } });
	expect(bad.status).toBe(400);
});

it("a new password leaves no digest that it could be guessed from, and a repeat is answered as the first", async () => {
	const { as, cookie } = await person("kira");
	const body = { password: "another river under old bridges", current_password: PASSWORD };
	const headers = { "idempotency-key": "new-password" };
	const done = await operate(as, ChangeMe, { body, headers });
	const { rows } = await sql("select encode(digest, 'hex') as digest from operator_reply where key = 'new-password'");
	const plain = createHash("sha256").update(JSON.stringify(["change_me", {}, body]));
	expect([done.status, must(rows[0], "the row").digest]).toEqual([200, expect.not.stringMatching(plain.digest("hex"))]);
	await isRefusedEverywhere({ cookie });
	const again = await operate({ api, cookie: cookieOf(done) }, ChangeMe, { body, headers });
	expect([again.status, again.headers["idempotent-replayed"]]).toEqual([200, "true"]);
	expect(again.json.data).toEqual(done.json.data);
	const other = await operate({ api, cookie: cookieOf(done) }, ChangeMe, { body: { ...body, email: null }, headers });
	expect([other.status, other.json.error.code]).toEqual([409, "idempotency_conflict"]);
});
