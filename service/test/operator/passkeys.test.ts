import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BeginPasskeySignIn, SignInByPasskey } from "../../src/partners/people/contract.ts";
import {
	AddPasskey,
	BeginPasskey,
	GetMe,
	ListMyFactors,
	RemoveMyFactor,
} from "../../src/partners/people/me-contract.ts";
import { ChangePerson } from "../../src/partners/people/people-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, codeOf, type Operated, operate } from "../operate.ts";
import { cookieOf, PASSWORD, personAt, signInAt } from "../person.ts";
import { SoftwarePasskey } from "./software-passkey.ts";

let house: House;
let api: string;
/** Where browsers open the console: passkeys on this machine belong to `localhost`. */
let origin: string;

beforeAll(async () => {
	house = await openHouse();
	({ api } = house);
	origin = api.replace("127.0.0.1", "localhost");
});
afterAll(() => house.close());

const challengeFor = async (as: As) => (await operate(as, BeginPasskey)).json.data;
const signInChallenge = async () => (await operate({ api, token: null }, BeginPasskeySignIn)).json.data;
const signInWith = (body: object): Promise<Operated> => operate({ api, token: null }, SignInByPasskey, { body });

async function withPasskey(name: string): Promise<{ as: As; passkey: SoftwarePasskey }> {
	const as = await personAt(api, house, name, "operator");
	const passkey = new SoftwarePasskey(origin);
	const added = await operate(as, AddPasskey, { body: passkey.create(await challengeFor(as), "laptop") });
	expect([added.status, added.json.error]).toEqual([201, undefined]);
	for (const code of added.json.data.recovery_codes) keepSecretsOf(JSON.stringify({ secret: code }));
	return { as, passkey };
}

describe("A passkey", () => {
	it("is a whole sign-in, and a second factor", async () => {
		const { as, passkey } = await withPasskey("anna");
		expect((await operate(as, ListMyFactors)).json.data).toMatchObject({
			items: [{ kind: "passkey", name: "laptop", used_at: null }],
			recovery_codes_left: 10,
		});
		const signedIn = await signInWith(passkey.answer(await signInChallenge()));
		expect([signedIn.status, signedIn.json.data]).toEqual([200, { name: "anna", role: "operator" }]);
		const me = await operate({ api, cookie: cookieOf(signedIn) }, GetMe);
		expect(me.json.data).toMatchObject({ name: "anna", via: "session", second_factor: "set" });
		const half = await signInAt(api, { name: "anna", password: PASSWORD });
		expect([...(codeOf(half) as unknown[]), half.json.error.message]).toEqual([
			401,
			"second_factor_needed",
			"Sign in with your passkey, or with a recovery code.",
		]);
		const { rows } = await house.db.query(
			"select operation, actor, status from audit_log where operation in ('add_passkey', 'sign_in') and about = 'anna' order by seq",
		);
		expect(rows).toEqual([
			{ operation: "add_passkey", actor: "operator:anna", status: 201 },
			{ operation: "sign_in", actor: "operator:anna", status: 200 },
			{ operation: "sign_in", actor: "operator:anna", status: 401 },
		]);
	});

	it("is not accepted on another page, for another host, without its person, or for another use", async () => {
		const as = await personAt(api, house, "bert", "operator");
		const fresh = () => new SoftwarePasskey(origin);
		const asked = () => challengeFor(as);
		const add = async (body: object) => codeOf(await operate(as, AddPasskey, { body }));
		const wrong = [400, "invalid_input"];
		expect(await add(fresh().create(await asked(), "a", { origin: "https://evil.example" }))).toEqual(wrong);
		expect(await add(fresh().create(await asked(), "a", { rpId: "evil.example" }))).toEqual(wrong);
		expect(await add(fresh().create(await asked(), "a", { isVerified: false }))).toEqual(wrong);
		expect(await add(fresh().create(await asked(), "a", { type: "webauthn.get" }))).toEqual(wrong);
		const { challenge, rp_id } = await signInChallenge();
		expect(await add(fresh().create({ challenge, rp_id }, "a"))).toEqual(wrong); // made for a sign-in
		const other = await personAt(api, house, "bella", "operator");
		expect(await add(fresh().create(await challengeFor(other), "a"))).toEqual(wrong); // made for somebody else
		expect((await operate(as, ListMyFactors)).json.data.items).toEqual([]);
	});

	it("signs in once for each challenge, and only with its own signature", async () => {
		const { passkey } = await withPasskey("carl");
		const refused = [401, "unauthorized"];
		const asked = await signInChallenge();
		const answer = passkey.answer(asked);
		const both = await Promise.all([signInWith(answer), signInWith(answer)]);
		expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
		for (const one of both) if (one.status === 200) cookieOf(one);
		const other = new SoftwarePasskey(origin);
		const forged = { ...other.answer(await signInChallenge()), credential_id: answer.credential_id };
		expect(codeOf(await signInWith(forged))).toEqual(refused);
		expect(codeOf(await signInWith(other.answer(await signInChallenge())))).toEqual(refused);
		for (const deviation of [{ origin: "https://evil.example" }, { rpId: "evil.example" }, { isVerified: false }])
			expect(codeOf(await signInWith(passkey.answer(await signInChallenge(), deviation)))).toEqual(refused);
		const invented = { challenge: "A".repeat(43), rp_id: "localhost" };
		expect(codeOf(await signInWith(passkey.answer(invented)))).toEqual(refused);
		await house.db.query("update operator_challenge set expires_at = now()");
	});

	it("that was copied is noticed by its count, and a challenge ends after five minutes", async () => {
		const { passkey } = await withPasskey("dora");
		const first = await signInWith(passkey.answer(await signInChallenge(), { counter: 7 }));
		cookieOf(first);
		expect(first.status).toBe(200);
		const again = await signInWith(passkey.answer(await signInChallenge(), { counter: 7 }));
		expect(codeOf(again)).toEqual([401, "unauthorized"]);
		const old = await signInChallenge();
		await house.db.query("update operator_challenge set expires_at = clock_timestamp() - interval '1 second'");
		expect(codeOf(await signInWith(passkey.answer(old, { counter: 9 })))).toEqual([401, "unauthorized"]);
	});

	it("of a suspended person, and one that was removed, lets nobody in", async () => {
		const { as, passkey } = await withPasskey("emil");
		await operate(house, ChangePerson, { params: { name: "emil" }, body: { state: "suspended" } });
		expect(codeOf(await signInWith(passkey.answer(await signInChallenge())))).toEqual([401, "unauthorized"]);
		await operate(house, ChangePerson, { params: { name: "emil" }, body: { state: "active" } });
		const back = await signInWith(passkey.answer(await signInChallenge()));
		expect(back.status).toBe(200);
		const now: As = { api, cookie: cookieOf(back) };
		const [factor] = (await operate(now, ListMyFactors)).json.data.items;
		expect((await operate(now, RemoveMyFactor, { params: { id: factor.id } })).status).toBe(200);
		expect(codeOf(await signInWith(passkey.answer(await signInChallenge())))).toEqual([401, "unauthorized"]);
		expect(as).not.toEqual(now);
	});

	it("cannot be added twice, and tokens and the socket have none", async () => {
		const { as, passkey } = await withPasskey("fred");
		const twice = await operate(as, AddPasskey, { body: passkey.create(await challengeFor(as), "again") });
		expect(codeOf(twice)).toEqual([409, "not_possible_now"]);
		expect((await challengeFor(as)).known).toEqual([passkey.id.toString("base64url")]);
		expect(codeOf(await operate(house, BeginPasskey))).toEqual([409, "not_possible_now"]);
	});
});

describe("Where the console has no host name", () => {
	it("passkeys are refused with what is missing", async () => {
		const bare = await openHouse({ env: { HOLDFAST_ADMIN_URL: "https://192.0.2.7" } });
		try {
			const refused = await operate({ api: bare.api, token: null }, BeginPasskeySignIn);
			expect([...(codeOf(refused) as unknown[]), refused.json.error.message]).toEqual([
				409,
				"not_possible_now",
				expect.stringContaining("HOLDFAST_ADMIN_URL"),
			]);
		} finally {
			await bare.close();
		}
	});
});
