/** Keys: a revoked key is refused everywhere within a second, any other is served, and acknowledged changes exist. */
import type pg from "pg";
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { outcomeOf, outcomeOfErrand } from "../../history.ts";
import type { HoldFacts } from "../holds/look-up-sql.ts";
import type { Oracle } from "../room.ts";
import type { KeyErrand } from "./workload.ts";

/**
 * Milliseconds after the acknowledgement of a revocation from which no node may serve the key (settlements, section 3).
 */
const REFUSED_WITHIN_MS = 1_000;
/** Milliseconds during which a new key may still be unknown to a node. */
const KNOWN_WITHIN_MS = 1_000;

interface KeyFact {
	readonly name: string;
	readonly keyId: string;
	/** Epoch milliseconds of the database's clock; null: not revoked. */
	readonly revokeAt: number | null;
	readonly secrets: number;
}

/** From when a key's secrets may be refused, and from when they must be. */
interface Refusal {
	readonly may: number;
	readonly must: number;
}

const KEYS = `
	select k.name, k.key_id as "keyId", (extract(epoch from k.revoke_at) * 1000)::float8 as "revokeAt",
	       (select count(*)::int from key_secret s where s.key_id = k.key_id) as secrets
	  from api_key k`;

export const KEY_ORACLE: Oracle = {
	lookUp: async (db: pg.Pool) => (await db.query<KeyFact>(KEYS)).rows,
	settle: () => undefined,
	judge: (on) => [...judgeService(on), ...judgeTables(on)],
	probes: () => [],
};

const errandsOf = (on: Case) =>
	on.errands.filter(({ args }) => args[0] === "keys").map((errand) => ({ errand, about: errand.about as KeyErrand }));

function refusalsOf(on: Case): (actor: string, secret: number) => Refusal {
	const byKey = Map.groupBy(
		errandsOf(on).filter(({ about }) => about.what !== "mint"),
		({ about }) => about.key,
	);
	return (actor, secret) => {
		let may = Number.POSITIVE_INFINITY;
		let must = Number.POSITIVE_INFINITY;
		for (const { errand, about } of byKey.get(actor) ?? []) {
			if (about.secretsBelow !== null && secret >= about.secretsBelow) continue;
			may = Math.min(may, errand.start);
			// a revocation under a wrong clock takes effect when the right one gets there
			if (outcomeOfErrand(errand) === "done" && !on.clockWrongWithin(errand.start, errand.end))
				must = Math.min(must, errand.end + REFUSED_WITHIN_MS);
		}
		return { may, must };
	};
}

function judgeService(on: Case): Finding[] {
	const refusalOf = refusalsOf(on);
	return on.exchanges.flatMap((exchange) => {
		const { actor, secret, start, end, op, status } = exchange;
		const { may, must } = refusalOf(actor, secret);
		if (outcomeOf(exchange) === "done" && start > must) {
			const late = Math.round(start - must + REFUSED_WITHIN_MS);
			return [
				finding(
					"late revocation",
					`${op} of ${actor} was acknowledged; it was sent ${late} ms after the key was revoked`,
					end,
				),
			];
		}
		if (status === 401 && end < may && start > on.actor(actor).at + KNOWN_WITHIN_MS) {
			return [finding("unexpected", `${op} of ${actor} answered 401, although the key was valid`, end)];
		}
		return [];
	});
}

function judgeTables(on: Case): Finding[] {
	const facts = on.facts<readonly KeyFact[]>("keys");
	if (!facts) return [];
	const byName = Map.groupBy(facts, ({ name }) => name);
	const findings = errandsOf(on).flatMap(({ errand, about }): Finding[] => {
		const found = byName.get(about.key) ?? [];
		if (found.length > 1) return [finding("doubled", `there are ${found.length} keys named ${about.key}`)];
		if (outcomeOfErrand(errand) !== "done") return [];
		const [fact] = found;
		if (!fact)
			return [finding("lost", `${about.what} of ${about.key} was acknowledged, but there is no such key`, errand.end)];
		if (about.what === "revoke" && fact.revokeAt === null) {
			return [finding("lost", `${about.key} was acknowledged as revoked, but is not revoked`, errand.end)];
		}
		if (about.secretsBelow !== null && fact.secrets <= about.secretsBelow) {
			return [finding("lost", `the secret of ${about.key} that a rotation returned does not exist`, errand.end)];
		}
		return [];
	});
	return [...findings, ...judgeLateHolds(on, facts)];
}

/**
 * By the database's clock, no hold is made more than a second after the revocation of its key was acknowledged:
 * `revoke_at` is the moment at which the revocation began, and until it is committed nobody can know of it.
 */
function judgeLateHolds(on: Case, keys: readonly KeyFact[]): Finding[] {
	if (on.clockWasStepped) return [];
	const ends = Map.groupBy(
		errandsOf(on).filter(({ about }) => about.what === "revoke"),
		({ about }) => about.key,
	);
	const revoked = new Map(
		keys.flatMap(({ keyId, name, revokeAt }) => {
			if (revokeAt === null) return [];
			const from = Math.max(on.momentOf(revokeAt).latest, ...(ends.get(name) ?? []).map(({ errand }) => errand.end));
			return [[keyId, { name, from }] as const];
		}),
	);
	return (on.facts<HoldFacts>("holds")?.holds ?? []).flatMap(({ token, keyId, createdAt }) => {
		const key = revoked.get(keyId);
		const late = Math.round(on.momentOf(createdAt).earliest - (key?.from ?? 0));
		if (!key || late <= REFUSED_WITHIN_MS) return [];
		return [finding("late revocation", `hold ${token} of ${key.name} was made ${late} ms after the key was revoked`)];
	});
}
