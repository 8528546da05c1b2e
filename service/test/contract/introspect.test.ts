import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CURRENT_API_DATE, SCOPES } from "../../src/glossary.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { Introspect } from "../../src/partners/keys/contract.ts";
import { rotateKey } from "../../src/partners/keys/rotate-key.ts";
import { PRESETS } from "../../src/partners/keys/scopes.ts";
import { revokeKey, suspendKey } from "../../src/partners/keys/suspend-key.ts";
import { newPk, newSk } from "../../src/partners/keys/token.ts";
import { openWorld, type World } from "./world.ts";

const PER_MINUTE = 10;

let world: World;
let partner: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	partner = world.partner();
});
afterAll(() => world.stop());

/** Each test uses a key of its own, because budgets are per key. */
const asker = async (): Promise<string> => (await world.key({ partner, scopes: ["atp.introspect"] })).token;
const ask = (key: string, token: string) => world.call(Introspect, key, { token });

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("200 active", () => {
	it("tells what a live key of the same partner is and may do", async () => {
		const expiresAt = new Date(Date.now() + 86_400_000);
		const { token, keyId } = await world.key({
			partner,
			brand: "ACME",
			sharedPool: true,
			name: "web shop",
			requestsPerMinute: 250,
			expiresAt,
			scopes: PRESETS.fulfilment,
		});
		expect((await ask(await asker(), token)).data).toEqual({
			active: true,
			key_id: keyId,
			name: "web shop",
			environment: "live",
			kind: "fulfilment",
			brand_code: "ACME",
			shared_pool: true,
			scopes: PRESETS.fulfilment.toSorted(),
			issued_at: INSTANT,
			expires_at: expiresAt.toISOString(),
			secret_expires_at: null,
			rate_limit: { limit: 250, window_seconds: 60 },
			default_version: CURRENT_API_DATE,
		});
	});

	it("a key may ask about itself; an unbound one has no brand, and scopes that are no preset are custom", async () => {
		const key = await asker();
		expect((await ask(key, key)).data).toMatchObject({
			active: true,
			kind: "custom",
			brand_code: null,
			scopes: ["atp.introspect"],
			expires_at: null,
		});
	});

	it("kind is the preset whose scopes the key has", async () => {
		const key = await asker();
		for (const [kind, scopes] of Object.entries(PRESETS)) {
			const { token } = await world.key({ partner, scopes });
			expect((await ask(key, token)).data).toMatchObject({ kind });
		}
		const before = PRESETS.fulfilment.filter((scope) => scope !== "atp.shipments.combine");
		const { token: older } = await world.key({ partner, scopes: before });
		expect((await ask(key, older)).data).toMatchObject({ kind: "fulfilment", scopes: before.toSorted() });
		const { token } = await world.key({ partner, scopes: SCOPES });
		expect((await ask(key, token)).data).toMatchObject({ kind: "custom" });
	});

	it("the partner's sandbox key is told of, with the end that its revocation has set", async () => {
		const own = world.partner();
		const sandbox = await world.key({ partner: own, brand: "SANDBOX" });
		const { token: live } = await world.key({ partner: own });
		const { data } = await ask(live, sandbox.token);
		expect(data).toMatchObject({ active: true, environment: "sandbox", brand_code: "SANDBOX", expires_at: INSTANT });
		if (data.active) expect(Date.parse(data.expires_at ?? "") - Date.now()).toBeGreaterThan(29 * 86_400_000);
	});

	it("while a rotation overlaps the old secret tells its end, the new one none", async () => {
		const key = await asker();
		const { token, pk } = await world.key({ partner });
		const rotated = await transaction(world.db, (tx) => rotateKey(tx, world.deps.ring, pk, 1));
		if ("refusal" in rotated) throw new Error(rotated.message);
		await world.deps.keys.refresh();
		expect((await ask(key, token)).data).toMatchObject({ active: true, secret_expires_at: INSTANT });
		expect((await ask(key, rotated.token)).data).toMatchObject({ active: true, secret_expires_at: null });
	});
});

describe("200 not active", () => {
	it("whatever is no live key of the caller's partner is answered alike, to the byte", async () => {
		const { token, pk } = await world.key({ partner });
		const [revoked, suspended, rotated] = [
			await world.key({ partner }),
			await world.key({ partner }),
			await world.key({ partner }),
		];
		await transaction(world.db, (tx) => revokeKey(tx, revoked.pk));
		await transaction(world.db, (tx) => suspendKey(tx, suspended.pk));
		await transaction(world.db, (tx) => rotateKey(tx, world.deps.ring, rotated.pk, 0));
		const expired = await world.key({ partner, expiresAt: new Date(Date.now() + 3_600_000) });
		await world.db.query(
			`with e as (update key_epoch set version = version + 1 returning version)
			 update api_key set expires_at = now() - interval '1 second', version = e.version from e where key_id = $1`,
			[expired.keyId],
		);
		await world.deps.keys.refresh();
		const cases: Record<string, string> = {
			"another partner's": (await world.key()).token,
			unknown: `${newPk("live")}:${newSk("live")}`,
			"a wrong secret": `${pk}:${newSk("live")}`,
			revoked: revoked.token,
			suspended: suspended.token,
			expired: expired.token,
			"rotated out": rotated.token,
			"a typo": `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
			"blanks around it": ` ${token} `,
			"with the scheme": `Bearer ${token}`,
			"the public half": pk,
			nonsense: "x",
		};
		let key = await asker();
		for (const [n, [what, bad]] of Object.entries(cases).entries()) {
			if (n % PER_MINUTE === PER_MINUTE - 1) key = await asker();
			const answer = await ask(key, bad);
			expect([what, answer.status, answer.text]).toEqual([what, 200, '{"data":{"active":false}}']);
		}
	});

	it("takes the same way whatever the reason: one fresh look at the database, another partner's live key included", async () => {
		const key = await asker();
		const { pk } = await world.key({ partner });
		const revoked = await world.key({ partner });
		await transaction(world.db, (tx) => revokeKey(tx, revoked.pk));
		const { token: foreign } = await world.key();
		await world.deps.keys.refresh();
		const refresh = vi.spyOn(world.deps.keys, "refresh");
		for (const [what, bad] of [
			["unknown", `${newPk("live")}:${newSk("live")}`],
			["a wrong secret", `${pk}:${newSk("live")}`],
			["revoked", revoked.token],
			["another partner's", foreign],
		] as const) {
			refresh.mockClear();
			expect((await ask(key, bad)).data).toEqual({ active: false });
			expect([what, refresh.mock.calls.length]).toEqual([what, 1]);
		}
		refresh.mockRestore();
	});

	it("a key that is revoked is not active from then on", async () => {
		const key = await asker();
		const { token, pk } = await world.key({ partner });
		expect((await ask(key, token)).data).toMatchObject({ active: true });
		await transaction(world.db, (tx) => revokeKey(tx, pk));
		await expect.poll(async () => (await ask(key, token)).data, { interval: 250 }).toEqual({ active: false });
	});
});

describe("429 rate_limited: a budget of its own beside the key's", () => {
	it("the eleventh in a minute is refused, whatever the tokens; other operations of the key are not", async () => {
		const { token: key } = await world.key({ partner, requestsPerMinute: 100 });
		for (let n = 0; n < PER_MINUTE; n++) {
			const answer = await ask(key, n % 2 === 0 ? key : "nonsense");
			expect([answer.status, answer.header("ratelimit")?.split(";")[1]]).toEqual([200, `r=${99 - n}`]);
		}
		const refused = await ask(key, key);
		expect(refused.verdict).toBe("429 rate_limited");
		expect(Number(refused.header("retry-after"))).toBeGreaterThan(0);
		expect(Number(refused.header("retry-after"))).toBeLessThanOrEqual(60);
		expect((await world.call(Check, key, { items: [{ sku: "X", qty: 1 }] })).status).toBe(200);
		expect((await ask(await asker(), key)).data).toMatchObject({ active: true });
	});

	it("the key's own budget holds for it too", async () => {
		const { token: key } = await world.key({ partner, requestsPerMinute: 2 });
		for (let n = 0; n < 2; n++) expect((await ask(key, key)).status).toBe(200);
		expect((await ask(key, key)).verdict).toBe("429 rate_limited");
	});

	it("asking about tokens that are no keys is no failed authentication of the caller's address", async () => {
		for (let n = 0; n < 4; n++) {
			const key = await asker();
			for (let time = 0; time < PER_MINUTE; time++) await ask(key, `${newPk("live")}:${newSk("live")}`);
		}
		expect((await ask("nonsense", "nonsense")).verdict).toBe("401 unauthorized");
	});
});

describe("Refusals", () => {
	it.each([
		[{}],
		[{ token: "" }],
		[{ token: 1 }],
		[{ token: null }],
		[{ token: "x", more: 1 }],
		[{ token: "x".repeat(513) }],
	])("400 invalid_input: %j", async (body) => {
		expect((await world.send(Introspect, await asker(), body)).verdict).toBe("400 invalid_input");
	});

	it("what is refused never repeats the token", async () => {
		const { token } = await world.key({ partner });
		const answer = await world.send(Introspect, await asker(), { token, more: 1 });
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.text).not.toContain(token.split(":")[1]);
	});

	it("403 forbidden: without the scope", async () => {
		const { token } = await world.key({ partner, scopes: ["atp.check"] });
		expect((await ask(token, token)).verdict).toBe("403 forbidden");
	});
});
