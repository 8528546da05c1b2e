import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SURFACES } from "../../src/assembly/surfaces.ts";
import { ROLES, type Role } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { LEAST_ROLE } from "../../src/partners/admin/role.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { ListTokens, MintToken, RevokeToken } from "../../src/partners/operators/contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, operate } from "../operate.ts";
import { personAt } from "../person.ts";

/*
 * Every operation of the operator's API with every kind of caller. The operations are those that the contracts declare,
 * so a new one is covered automatically.
 */

const ALL = must(
	SURFACES.find(({ document }) => document.id === "operator"),
	"the surface",
).operations;
/** Those without credentials sign people in, and have tests of their own. */
const KEYLESS = [
	"sign_in",
	"begin_passkey_sign_in",
	"sign_in_by_passkey",
	"find_invitation",
	"set_up",
	"begin_provider_sign_in",
	"sign_in_by_provider",
];
const OPERATIONS = ALL.filter(({ scope }) => scope !== null);
/**
 * Statuses of a request that passed the gate: it names an object that does not exist, has an invalid body, or is
 * only for people who have signed in.
 */
const LET_IN = [200, 201, 202, 400, 404, 409];

let house: House;
let as: { readonly [caller: string]: As };
const socket = (): As => ({ socket: house.socket });

beforeAll(async () => {
	house = await openHouse({ env: { HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8" } });
	const { api } = house;
	const token = async (name: string, role: Role, more: object = {}): Promise<string> => {
		const { json, status } = await operate(socket(), MintToken, { body: { name, role, ...more } });
		expect(status).toBe(201);
		keepSecretsOf(JSON.stringify(json));
		return json.data.token;
	};
	const revoked = await token("revoked", "admin");
	await operate(socket(), RevokeToken, { params: { id: must(revoked.split(":")[0], "its id") } });
	const expired = await token("expired", "admin", { expires_at: "1m" });
	await house.db.query("update operator_token set expires_at = now() - interval '1 second' where name = 'expired'");
	as = {
		nobody: { api, token: null },
		"a partner's key": { api, token: (await house.mint()).token },
		"a token with another secret": { api, token: (await token("good", "admin")).replace(/.$/, "~") },
		"a revoked token": { api, token: revoked },
		"an expired token": { api, token: expired },
		...Object.fromEntries(
			await Promise.all(ROLES.map(async (role) => [role, { api, token: await token(role, role) }])),
		),
		...Object.fromEntries(
			await Promise.all(
				ROLES.map(async (role) => [`a person: ${role}`, await personAt(api, socket(), `p-${role}`, role)]),
			),
		),
		"the socket": socket(),
	};
	await new Promise((resolve) => setTimeout(resolve, 300)); // by now, every token has been read
});
afterAll(() => house.close());

const OUTSIDE = ["nobody", "a partner's key", "a token with another secret", "a revoked token", "an expired token"];

let addresses = 0;
/** Each request is from an address of its own: failed authentications are counted by address. */
const elsewhere = () => ({ "x-forwarded-for": `203.0.113.${++addresses % 250}` });

/** A request that passes the gate and changes nothing. */
const harmless = ({ method, body }: Operation) => ({
	headers: elsewhere(),
	...(method === "GET" || body === undefined ? {} : { body: { unknown_field: 1 } }),
});

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
	it("has its least role in the table, and only there", () => {
		expect(operation.scope).toBe(LEAST_ROLE[id as keyof typeof LEAST_ROLE]);
	});

	it.each(OUTSIDE)("answers 401 to %s", async (caller) => {
		const { status, json } = await operate(must(as[caller], caller), operation, harmless(operation));
		expect([status, json.error.code]).toEqual([401, "unauthorized"]);
	});

	it.each(
		ROLES.flatMap(
			(role) =>
				[
					[role, role],
					[`a person: ${role}`, role],
				] as const,
		),
	)("lets %s in, or answers 403, as the table says", async (caller, role) => {
		if (id === "sign_out" && caller !== role) return; // ends the session that the next case needs
		const { status, json } = await operate(must(as[caller], caller), operation, harmless(operation));
		if (ROLES.indexOf(role) >= ROLES.indexOf(operation.scope as Role)) expect(LET_IN).toContain(status);
		else expect([status, json.error.code]).toEqual([403, "forbidden"]);
	});

	it("lets the socket in", async () => {
		const { status } = await operate(socket(), operation, harmless(operation));
		expect(LET_IN).toContain(status);
	});
});

it("only signing in needs no credentials", () => {
	const keyless = ALL.filter(({ scope }) => scope === null).map(({ id }) => id);
	expect(new Set(keyless)).toEqual(new Set(KEYLESS));
});

it("an operator's token is nobody on the partner API and at the COA address", async () => {
	const token = "token" in must(as.admin, "admin") ? (as.admin as { token: string }).token : "";
	for (const at of [`${house.api}/api/v1/inventory`, `${house.coa}/api/v1/coa/feed`]) {
		const { status } = await fetch(at, { headers: { authorization: `Bearer ${token}`, ...elsewhere() } });
		expect([401, 404]).toContain(status);
	}
	expect((await house.call(token, "/api/v1/inventory", { headers: elsewhere() })).status).toBe(401);
});

it("the document of the operator's API needs no token, and is the committed one", async () => {
	const served = await (await fetch(`${house.api}/admin/api/openapi.json`)).json();
	const { readFileSync } = await import("node:fs");
	expect(served).toEqual(JSON.parse(readFileSync(new URL("../../../openapi/operator.json", import.meta.url), "utf8")));
});

it("nodes share the budget of an operator, and those of keys go on being shared", async () => {
	const deps = house.deps;
	await operate(socket(), ListTokens);
	const told = async () => (await deps.db.query("select sum(requests)::int as n from key_use")).rows[0]?.n ?? 0;
	await expect.poll(told).toBeGreaterThan(0);
});

it("a token that is revoked is refused by every node within a second", async () => {
	const two = await openHouse({ nodes: 2 });
	try {
		const at = (n: number) => must(two.nodes[n], "a node");
		const { json } = await operate({ socket: at(0).socket }, MintToken, { body: { name: "ci", role: "admin" } });
		keepSecretsOf(JSON.stringify(json));
		const callers = [0, 1].map((n): As => ({ api: at(n).api, token: json.data.token }));
		for (const one of callers) expect((await operate(one, ListTokens)).status).toBe(200);
		await operate({ socket: at(0).socket }, RevokeToken, { params: { id: json.data.id } });
		const deadline = performance.now() + 1_000;
		const statuses = async (): Promise<number[]> =>
			await Promise.all(callers.map(async (one) => (await operate(one, ListTokens)).status));
		let last = await statuses();
		while (last.includes(200) && performance.now() < deadline) last = await statuses();
		expect(last).toEqual([401, 401]);
	} finally {
		await two.close();
	}
});
