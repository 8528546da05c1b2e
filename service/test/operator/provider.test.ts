import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ListKeys } from "../../src/partners/keys/key-admin-contract.ts";
import { GetMe } from "../../src/partners/people/me-contract.ts";
import { ChangePerson, InvitePerson } from "../../src/partners/people/people-contract.ts";
import { BeginProviderSignIn, SignInByProvider } from "../../src/partners/people/provider-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, codeOf, type Operated, operate } from "../operate.ts";
import { cookieOf, personAt } from "../person.ts";
import { CLIENT, openPretendedProvider, type PretendedProvider } from "./pretended-provider.ts";

let provider: PretendedProvider;
let house: House;
let api: string;

beforeAll(async () => {
	provider = await openPretendedProvider();
	house = await openHouse({
		env: {
			HOLDFAST_ADMIN_OIDC_ISSUER: provider.issuer,
			HOLDFAST_ADMIN_OIDC_CLIENT_ID: CLIENT.id,
			HOLDFAST_ADMIN_OIDC_CLIENT_SECRET: CLIENT.secret,
			HOLDFAST_ADMIN_SECOND_FACTOR: "required",
		},
	});
	({ api } = house);
});
afterAll(async () => {
	await house?.close();
	await provider.close();
});

const nobody = (): As => ({ api, token: null });

async function begin(): Promise<{ url: string; secret: string }> {
	const { status, json } = await operate(nobody(), BeginProviderSignIn);
	expect([status, json.error]).toEqual([200, undefined]);
	keepSecretsOf(JSON.stringify({ secret: json.data.secret }));
	return json.data;
}
const end = (secret: string, query: string) => operate(nobody(), SignInByProvider, { body: { secret, query } });

const refusedRows = async (name: string): Promise<unknown[]> =>
	(
		await house.db.query(
			"select operation, about, status from audit_log where actor = $1 and code = 'forbidden' order by seq",
			[`operator:${name}`],
		)
	).rows;

/** Signs in as the person that the provider knows by these claims. */
async function signInAs(who: Record<string, unknown>): Promise<Operated> {
	provider.who = who;
	const { url, secret } = await begin();
	return await end(secret, await provider.visit(url));
}

describe("At a provider", () => {
	it("a person signs in, has the role of the claim, and needs no second factor here", async () => {
		const anna = {
			sub: "7",
			preferred_username: "anna",
			email: "anna@example.com",
			holdfast_role: ["staff", "operator"],
		};
		const signedIn = await signInAs(anna);
		expect([signedIn.status, signedIn.json.data]).toEqual([200, { name: "anna", role: "operator" }]);
		const as: As = { api, cookie: cookieOf(signedIn) };
		expect((await operate(as, ListKeys)).status).toBe(200);
		expect((await operate(as, GetMe)).json.data).toMatchObject({ name: "anna", email: "anna@example.com" });
		const again = await signInAs({ ...anna, preferred_username: "anna.b", holdfast_role: "viewer" });
		expect(again.json.data).toEqual({ name: "anna", role: "viewer" }); // the same subject is the same person
		cookieOf(again);
		await expect.poll(async () => (await operate(as, ListKeys)).status).toBe(401);
	});

	it("nobody gets in without a role, under another's name, or while suspended", async () => {
		expect(codeOf(await signInAs({ sub: "8", preferred_username: "bert" }))).toEqual([403, "forbidden"]);
		await personAt(api, house, "carl", "admin");
		const other = await signInAs({ sub: "9", preferred_username: "Carl", holdfast_role: "admin" });
		expect(codeOf(other)).toEqual([403, "forbidden"]);
		const dora = { sub: "10", preferred_username: "dora", holdfast_role: "viewer" };
		const as: As = { api, cookie: cookieOf(await signInAs(dora)) };
		const active = await operate(house, ChangePerson, { params: { name: "dora" }, body: { state: "active" } });
		expect([active.json.data.state, (await operate(as, GetMe)).status]).toEqual(["active", 200]);
		await operate(house, ChangePerson, { params: { name: "dora" }, body: { state: "suspended" } });
		expect(codeOf(await signInAs(dora))).toEqual([401, "unauthorized"]);
	});

	it("a person who has lost the role is refused with a row, and the sessions from before end", async () => {
		const gina = { sub: "14", preferred_username: "gina", holdfast_role: "admin" };
		const as: As = { api, cookie: cookieOf(await signInAs(gina)) };
		expect((await operate(as, GetMe)).status).toBe(200);
		expect(codeOf(await signInAs({ ...gina, holdfast_role: "staff" }))).toEqual([403, "forbidden"]);
		expect(await refusedRows("gina")).toEqual([{ operation: "sign_in", about: "gina", status: 403 }]);
		await expect.poll(async () => (await operate(as, GetMe)).status).toBe(401);
		// a person who was never here has no name here
		expect(codeOf(await signInAs({ sub: "15", preferred_username: "hugo" }))).toEqual([403, "forbidden"]);
		expect(await refusedRows("hugo")).toEqual([]);
	});

	it("a sign-in under the name of another person is refused with a row, and that person stays signed in", async () => {
		const ida = await personAt(api, house, "ida", "viewer");
		const other = await signInAs({ sub: "16", preferred_username: "Ida", holdfast_role: "admin" });
		expect(codeOf(other)).toEqual([403, "forbidden"]);
		expect(await refusedRows("ida")).toEqual([{ operation: "sign_in", about: "ida", status: 403 }]);
		await house.db.query("select pg_sleep(0.3)"); // longer than a node may know the session as it was
		expect((await operate(ida, GetMe)).status).toBe(200);
	});

	it("an invited person keeps the account of the invitation, and the link ends", async () => {
		const { json } = await operate(house, InvitePerson, { body: { name: "emil", role: "viewer" } });
		keepSecretsOf(JSON.stringify({ secret: new URL(json.data.link).hash.slice(1) }));
		const signedIn = await signInAs({ sub: "11", preferred_username: "emil", holdfast_role: "warehouse" });
		cookieOf(signedIn);
		expect(signedIn.json.data).toEqual({ name: "emil", role: "warehouse" });
		const { rows } = await house.db.query("select state, link_digest from operator_person where name = 'emil'");
		expect(rows).toEqual([{ state: "active", link_digest: null }]);
	});

	it("only the browser that began comes to an end, once, and only with what the provider signed", async () => {
		provider.who = { sub: "12", preferred_username: "fred", holdfast_role: "viewer" };
		const refused = [401, "unauthorized"];
		const [first, second] = [await begin(), await begin()];
		const query = await provider.visit(first.url);
		expect(codeOf(await end(second.secret, query))).toEqual(refused); // another browser's
		const fresh = await begin();
		const good = await provider.visit(fresh.url);
		cookieOf(await end(fresh.secret, good));
		expect(codeOf(await end(fresh.secret, good))).toEqual(refused); // a second time
		for (const wrong of [
			{ nonce: "another" },
			{ aud: "another client" },
			{ iss: "https://evil.example" },
			{ exp: 1 },
			{ auth_time: 1 },
		]) {
			expect([wrong, codeOf(await signInAs({ ...provider.who, sub: "13", ...wrong }))]).toEqual([wrong, refused]);
			provider.who = { preferred_username: "fred", holdfast_role: "viewer" };
		}
		expect(codeOf(await end("none", "code=1&state=2"))).toEqual(refused);
		expect(codeOf(await end("none", "error=access_denied"))).toEqual(refused);
	});

	it.for(["isAway", "isBroken"] as const)("that is away (%s), sign-ins are refused with what to do", async (how) => {
		const { url, secret } = await begin();
		const query = await provider.visit(url);
		provider[how] = true;
		try {
			expect(codeOf(await end(secret, query))).toEqual([409, "retry"]);
		} finally {
			provider[how] = false;
		}
	});
});
