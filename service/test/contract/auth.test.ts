import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { rotateKey } from "../../src/partners/keys/rotate-key.ts";
import { resumeKey, revokeKey, suspendKey } from "../../src/partners/keys/suspend-key.ts";
import { checksum, newPk, newSk } from "../../src/partners/keys/token.ts";
import { until } from "../processes/child.ts";
import type { Answer } from "./client.ts";
import { openWorld, type World } from "./world.ts";

/** Maximum failed authentications per address and minute: all worlds here except one stay below it. */
const FAILURES_PER_MINUTE = 30;
const BODY = { items: [{ sku: "X", qty: 1 }] };

let world: World;
beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
});
afterAll(() => world.stop());

const ask = (token: string | null, headers: Record<string, string> = {}) => world.call(Check, token, BODY, { headers });

/** Everything of a reply except the parts that differ from one request to the next. */
function told({ status, text, headers }: Answer) {
	const { date: _date, "x-request-id": _id, ...rest } = headers;
	return { status, text, headers: rest };
}

/** A well-formed token with another key than `token`, or with another secret. */
function forged(token: string, half: "pk" | "sk"): string {
	const [pk = "", sk = ""] = token.split(":");
	return half === "pk" ? `${newPk("live")}:${sk}` : `${pk}:${newSk("live")}`;
}

async function expiredKey(of: World = world): Promise<string> {
	const { token, keyId } = await of.key({ expiresAt: new Date(Date.now() + 3_600_000) });
	await of.db.query(
		`with e as (update key_epoch set version = version + 1 returning version)
		 update api_key set expires_at = now() - interval '1 second', version = e.version from e where key_id = $1`,
		[keyId],
	);
	return token;
}

describe("401 unauthorized", () => {
	it("unknown, wrong secret, revoked, suspended, expired and mistyped are answered alike, to the byte", async () => {
		const { token } = await world.key();
		const revoked = await world.key();
		const suspended = await world.key();
		await transaction(world.db, (tx) => revokeKey(tx, revoked.pk));
		await transaction(world.db, (tx) => suspendKey(tx, suspended.pk));
		const rotated = await world.key();
		await transaction(world.db, (tx) => rotateKey(tx, world.deps.ring, rotated.pk, 0));
		await world.deps.keys.refresh();
		const [pk = ""] = token.split(":");
		const tokens: Record<string, string> = {
			"unknown key": forged(token, "pk"),
			"wrong secret": forged(token, "sk"),
			revoked: revoked.token,
			suspended: suspended.token,
			expired: await expiredKey(),
			"a secret that was rotated out": rotated.token,
			"another key's secret": `${pk}:${(await world.key()).token.split(":")[1]}`,
			"a typo": `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
			"capitals changed": token.toUpperCase(),
			"not ours": randomBytes(24).toString("base64url"),
		};
		const reference = told(await ask(forged(token, "pk")));
		expect([reference.status, reference.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
		for (const [what, bad] of Object.entries(tokens)) expect([what, told(await ask(bad))]).toEqual([what, reference]);
		expect((await ask(token)).status).toBe(200);
	});

	it("whatever stands in Authorization", async () => {
		const other = await openWorld();
		const { token } = await other.key();
		const [pk = "", sk = ""] = token.split(":");
		const told401 = async (authorization: string | null): Promise<string> => {
			const headers = authorization === null ? {} : { authorization };
			const answer = await other.call(Check, null, BODY, { headers });
			expect([authorization, answer.verdict, answer.header("www-authenticate")]).toEqual([
				authorization,
				"401 unauthorized",
				"Bearer",
			]);
			return (answer.json as { error: { message: string } }).error.message;
		};
		// the form is not secret, and beginners often get it wrong
		for (const [authorization, wrong] of [
			[null, "There is no header Authorization"],
			["", "There is no header Authorization"],
			[`Basic ${Buffer.from(token).toString("base64")}`, "The header Authorization does not begin with Bearer"],
			[`Token ${token}`, "The header Authorization does not begin with Bearer"],
			[token, "The header Authorization does not begin with Bearer"],
			[`Bearer\t${token}`, "The header Authorization does not begin with Bearer"],
			[`Bearer ${token} x`, "There is a space in the key"],
			[`Bearer ${token}, Bearer ${token}`, "There is a space in the key"],
			[`Bearer ${sk}:${pk}`, "The halves of the key are the wrong way round"],
			[`Bearer ${pk}`, "Only one half of the key was sent"],
		] as const) {
			expect([authorization, await told401(authorization)]).toEqual([
				authorization,
				expect.stringMatching(`^${wrong}\\. Send `),
			]);
		}
		const reference = await told401(`Bearer ${forged(token, "pk")}`);
		for (const authorization of [
			"Bearer",
			"Bearer ",
			`Bearer ${token},`,
			`Bearer "${token}"`,
			`Bearer ${"x".repeat(10_000)}`,
			"Bearer pk_hf_live_:sk_hf_live_",
			`Bearer ${token.replace(":", "::")}`,
			`Bearer ${token.replace("live", "sandbox")}`,
			`Bearer ${token.replaceAll("live", "sandbox")}`,
		]) {
			expect([authorization, await told401(authorization)]).toEqual([authorization, reference]);
		}
		for (const scheme of ["Bearer", "bearer", "BEARER"]) {
			expect((await other.call(Check, null, BODY, { headers: { authorization: `${scheme} ${token}` } })).status).toBe(
				200,
			);
		}
		await other.stop();
	});

	it("every well-formed token that is refused takes the same way: one fresh look at the database, then the comparison", async () => {
		const other = await openWorld();
		const { token } = await other.key();
		const revoked = await other.key();
		await transaction(other.db, (tx) => revokeKey(tx, revoked.pk));
		await other.deps.keys.refresh();
		// only observed: the real cache keeps working
		const refresh = vi.spyOn(other.deps.keys, "refresh");
		const find = vi.spyOn(other.deps.keys, "find");
		for (const [what, bad] of [
			["unknown", forged(token, "pk")],
			["wrong secret", forged(token, "sk")],
			["revoked", revoked.token],
		] as const) {
			refresh.mockClear();
			find.mockClear();
			expect((await other.call(Check, bad, BODY)).status).toBe(401);
			expect([what, refresh.mock.calls.length, find.mock.calls.length]).toEqual([what, 1, 2]);
		}
		refresh.mockClear();
		expect((await other.call(Check, token, BODY)).status).toBe(200);
		expect(refresh).not.toHaveBeenCalled();
		await other.stop();
	});
});

describe("Failures per address", () => {
	it("after 30 failures in a minute the next failure is 429, a good key still passes, and the wait is not lengthened", async () => {
		const other = await openWorld();
		const { token } = await other.key();
		for (let n = 0; n < FAILURES_PER_MINUTE; n++) {
			expect((await other.call(Check, forged(token, "sk"), BODY)).status).toBe(401);
		}
		let wait = 60;
		for (const bad of [forged(token, "sk"), forged(token, "pk"), "nonsense", null]) {
			const answer = await other.call(Check, bad, BODY);
			expect(answer.verdict).toBe("429 rate_limited");
			expect(answer.header("ratelimit")).toBeUndefined();
			expect(Number(answer.header("retry-after"))).toBeLessThanOrEqual(wait);
			wait = Number(answer.header("retry-after"));
		}
		expect((await other.call(Check, token, BODY)).status).toBe(200);
		await other.stop();
	});

	it("whatever others behind the address did, a key that was good once is told 401: revoked, suspended, expired or rotated out", async () => {
		const other = await openWorld();
		const { token } = await other.key();
		const [revoked, suspended, rotated] = [await other.key(), await other.key(), await other.key()];
		await transaction(other.db, (tx) => revokeKey(tx, revoked.pk));
		await transaction(other.db, (tx) => suspendKey(tx, suspended.pk));
		await transaction(other.db, (tx) => rotateKey(tx, other.deps.ring, rotated.pk, 0));
		const ended = [revoked.token, suspended.token, rotated.token, await expiredKey(other)];
		await other.deps.keys.refresh();
		const before = told(await other.call(Check, revoked.token, BODY));
		expect(before.status).toBe(401);
		for (let n = 0; n <= FAILURES_PER_MINUTE; n++) await other.call(Check, forged(token, "pk"), BODY);
		for (let n = 0; n < FAILURES_PER_MINUTE; n++) {
			for (const one of ended) expect(told(await other.call(Check, one, BODY))).toEqual(before);
		}
		// one of them with a wrong secret is not a key that was ever valid
		expect((await other.call(Check, forged(revoked.token, "sk"), BODY)).verdict).toBe("429 rate_limited");
		await other.stop();
	});

	it("behind a trusted proxy the address is the one that the proxy names, and nobody else's word counts", async () => {
		const proxied = await openWorld({ HOLDFAST_TRUSTED_PROXIES: "127.0.0.1" });
		const fail = (world: World, address: string) =>
			world.call(Check, "nonsense", BODY, { headers: { "x-forwarded-for": `203.0.113.1, ${address}` } });
		for (let n = 0; n < FAILURES_PER_MINUTE; n++) expect((await fail(proxied, "198.51.100.1")).status).toBe(401);
		expect((await fail(proxied, "198.51.100.1")).status).toBe(429);
		expect((await fail(proxied, "198.51.100.2")).status).toBe(401);
		await proxied.stop();
		const direct = await openWorld();
		for (let n = 0; n < FAILURES_PER_MINUTE; n++) expect((await fail(direct, `198.51.100.${n}`)).status).toBe(401);
		expect((await fail(direct, "198.51.100.99")).status).toBe(429);
		await direct.stop();
	});
});

describe("A key's life, over HTTP", () => {
	it("works from the moment it is minted", async () => {
		for (let n = 0; n < 5; n++) expect((await ask((await world.key()).token)).status).toBe(200);
	});

	it("is refused once revoked, and stays so", async () => {
		const { token, pk } = await world.key();
		expect((await ask(token)).status).toBe(200);
		await transaction(world.db, (tx) => revokeKey(tx, pk));
		await until("the revocation to be seen", async () => (await ask(token)).status === 401);
		expect((await ask(token)).status).toBe(401);
	});

	it("is kept out while suspended, its requests per minute unchanged", async () => {
		const { token, pk } = await world.key();
		await transaction(world.db, (tx) => suspendKey(tx, pk));
		await until("the suspension to be seen", async () => (await ask(token)).status === 401);
		await transaction(world.db, (tx) => resumeKey(tx, pk));
		expect((await ask(token)).status).toBe(200);
	});

	it("both secrets work while they overlap", async () => {
		const { token, pk } = await world.key();
		const rotated = await transaction(world.db, (tx) => rotateKey(tx, world.deps.ring, pk, 1));
		if ("refusal" in rotated) throw new Error(rotated.message);
		expect((await ask(token)).status).toBe(200);
		expect((await ask(rotated.token)).status).toBe(200);
	});

	it("both halves of a token end in the checksum of what precedes it", async () => {
		const { token } = await world.key();
		for (const half of token.split(":")) expect(half.slice(-6)).toBe(checksum(half.slice(0, -6)));
	});
});
