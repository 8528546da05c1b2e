import { afterAll, beforeAll, expect, it } from "vitest";
import { RetireCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { MakeEndpoint, RotateEndpointSecret } from "../../src/partners/webhooks/endpoint-admin-contract.ts";
import { ImportWorld } from "../../src/upkeep/import/admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, operate } from "../operate.ts";
import { cookieOf, PASSWORD, personAt, signInAt } from "../person.ts";

let house: House;
let as: As;
beforeAll(async () => {
	house = await openHouse();
	as = await personAt(house.api, { socket: house.socket }, "nina", "admin");
});
afterAll(() => house.close());

/** Lets ten minutes pass since every sign-in so far. */
async function becomeStale(): Promise<void> {
	await house.db.query("update operator_session set created_at = now() - interval '11 minutes'");
	await house.db.query("select pg_sleep(0.3)"); // longer than a node may know the session as it was
}
const lastAudit = async () => (await house.db.query("select * from audit_log order by seq desc limit 1")).rows[0];
const refusedAs = (operation: string) => ({ operation, code: "fresh_sign_in_needed", actor: "operator:nina" });
const KEY = { partner: "Acme", environment: "sandbox", brand_code: "SANDBOX", preset: "read_only", shared_pool: false };
const world = (name: string) => ({ partners: [{ name: "Acme" }], keys: [{ ...KEY, name }] });

it("an old sign-in is not enough to mint keys by an import, to show a webhook secret, or to recall with a certificate", async () => {
	await becomeStale();
	const id = "0199f0a0-0000-7000-8000-0000000000d1";
	const endpoint = { partner: "Acme", environment: "sandbox", url: "https://shop.example.com/hook" };
	const batch = { slug: "glow-serum", batch: "C-2611" };
	for (const [operation, asked] of [
		[ImportWorld, { body: world("web") }],
		[MakeEndpoint, { body: endpoint }],
		[RotateEndpointSecret, { params: { id }, body: {} }],
		[RetireCertificate, { params: batch, body: { recall: true, reason: "lab report 77" } }],
	] as const) {
		const { status, json } = await operate(as, operation, asked);
		expect([operation.id, status, json.error.code]).toEqual([operation.id, 403, "fresh_sign_in_needed"]);
		expect(await lastAudit()).toMatchObject(refusedAs(operation.id));
	}
	const retired = await operate(as, RetireCertificate, { params: batch, body: {} });
	expect(retired.status).toBe(404); // there is none: without a recall it is judged at once
	expect((await operate(as, ImportWorld, { body: { brands: [{ code: "ACME", name: "Acme" }] } })).status).toBe(200);
	const dry = await operate(as, ImportWorld, { body: { ...world("web"), dry_run: true } });
	expect([dry.status, dry.json.data.created.keys]).toEqual([200, 1]);
});

it("nor to see the tokens of an earlier import again", async () => {
	const signIn = async (): Promise<As> => ({
		api: house.api,
		cookie: cookieOf(await signInAt(house.api, { name: "nina", password: PASSWORD })),
	});
	const asked = { body: world("shop"), headers: { "idempotency-key": "one-import" } };
	const early = await signIn();
	const minted = await operate(early, ImportWorld, asked);
	keepSecretsOf(JSON.stringify(minted.json));
	expect([minted.status, minted.json.data.created.keys]).toEqual([200, 1]);
	await becomeStale();
	expect((await operate(early, ImportWorld, asked)).json.error.code).toBe("fresh_sign_in_needed");
	const again = await operate(await signIn(), ImportWorld, asked);
	expect(again.json.data.keys).toEqual(minted.json.data.keys);
	// the key is there already, so this import mints none
	expect((await operate(early, ImportWorld, { body: world("shop") })).status).toBe(200);
});
