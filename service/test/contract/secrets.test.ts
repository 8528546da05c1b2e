import { afterAll, beforeAll, expect, it } from "vitest";
import { PARTNER_OPERATIONS } from "../../src/assembly/surfaces.ts";
import { SCOPES } from "../../src/glossary.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { newKeyRingEntry, parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { revokeKey } from "../../src/partners/keys/suspend-key.ts";
import { newSk } from "../../src/partners/keys/token.ts";
import { mint } from "../doors.ts";
import { type House, openHouse } from "../house.ts";
import { until } from "../processes/child.ts";
import { type Answer, type Client, createClient, pathWith } from "./client.ts";

/*
 * A real process that logs everything is used in every way, also with a failing database; then its output and its
 * answers are searched for secrets.
 */

const ENTRY = newKeyRingEntry();
let house: House;
let client: Client;

beforeAll(async () => {
	const env = { HOLDFAST_SECRET_KEYS: ENTRY, HOLDFAST_LOG_LEVEL: "debug" };
	house = await openHouse({ processes: true, env });
	client = createClient(Number(new URL(house.api).port));
});
afterAll(async () => {
	client.close();
	await house.close();
});

const key = () =>
	mint(house.db, parseKeyRing(ENTRY), {
		environment: "sandbox",
		brandCode: "SANDBOX",
		sharedPool: false,
		scopes: SCOPES,
	});

/** Every operation, with its contract's example and with an empty body. */
async function askEverything(token: string): Promise<Answer[]> {
	const answers: Answer[] = [];
	for (const operation of PARTNER_OPERATIONS) {
		answers.push(await client.send(operation, token, operation.examples.request));
		answers.push(await client.send(operation, token, {}, { search: "?nonsense=1" }));
		answers.push(await client.send(operation, token, undefined, { raw: "{", method: "POST" }));
		answers.push(await client.send(operation, token, undefined, { path: `${pathWith(operation)}/nothing` }));
	}
	return answers;
}

/** The secret in places where a careless client might put it. */
async function misplace(token: string): Promise<void> {
	for (const operation of PARTNER_OPERATIONS) {
		const encoded = encodeURIComponent(token);
		await client.send(operation, token, {}, { search: `?token=${encoded}&${encoded}=1&sku=${encoded}` });
		await client.send(operation, token, { sku: token, token, [token]: 1, external_ref: token });
		await client.send(operation, null, {}, { path: `/api/v1/${encoded}` });
		await client.send(operation, token, {}, { headers: { "x-partner-version": token, "x-request-id": token } });
		await client.send(operation, token, undefined, { raw: `{"items": "${token}` });
	}
}

it("no secret is ever logged or answered, whatever is asked, refused or broken", async () => {
	const good = await key();
	const revoked = await key();
	await transaction(house.db, (tx) => revokeKey(tx, revoked.pk));
	const wrong = `${good.pk}:${newSk("sandbox")}`;
	const answers = await askEverything(good.token);
	for (const token of [wrong, revoked.token]) {
		for (let n = 0; n < 10; n++) {
			answers.push(await client.send(PARTNER_OPERATIONS.at(-1) as (typeof PARTNER_OPERATIONS)[number], token, {}));
		}
	}
	await misplace(good.token);
	// the worst case: the database answers with errors that contain values
	await house.db.query("alter table lot rename to gone");
	await house.db.query("alter table catalog_epoch rename to gone_too");
	answers.push(...(await askEverything(good.token)));
	await house.db.query("alter table gone rename to lot");
	await house.db.query("alter table gone_too rename to catalog_epoch");
	expect(answers.some(({ status }) => status === 500)).toBe(true);

	const node = house.nodes[0]?.child;
	const written = () => [...(node?.lines ?? []), ...(node?.errors ?? [])].join("\n");
	const last = answers.at(-1)?.header("x-request-id") ?? "?";
	await until("the log to be written", () => written().includes(last));
	expect(written()).toContain("internal_error");

	const { rows } = await house.db.query<{ digest: string }>("select encode(digest, 'hex') as digest from key_secret");
	const secretOf = (token: string): string => token.split(":")[1] as string;
	const { password } = new URL(house.url.replace("@/", "@x/"));
	const secrets = {
		"a good secret": secretOf(good.token),
		"its random part": secretOf(good.token).slice(-40),
		"a wrong secret": secretOf(wrong),
		"a revoked secret": secretOf(revoked.token),
		"the pepper": ENTRY.split(":")[1] as string,
		"the pepper in hex": parseKeyRing(ENTRY).current.key.export().toString("hex"),
		"a stored digest": rows[0]?.digest as string,
		...(password.length < 8 ? {} : { "the database's password": decodeURIComponent(password) }),
	};
	const said = answers.map(({ text, headers }) => `${text}${JSON.stringify(headers)}`).join("\n");
	for (const [what, secret] of Object.entries(secrets)) {
		expect(secret.length).toBeGreaterThan(7);
		expect([what, written().includes(secret)]).toEqual([what, false]);
		expect([what, said.includes(secret)]).toEqual([what, false]);
	}
	// what may be known is present: the public half names the caller
	expect(written()).toContain(good.pk);
}, 120_000);
