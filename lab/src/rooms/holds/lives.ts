/**
 * The life of each hold, reconstructed from every attempt that concerned it and, where no answer arrived, from the
 * tables.
 */
import type { Case, When } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Attempts, EndAttempt, EndedBy, HeldItem, ReserveAttempt, ReverseAttempt } from "./attempts.ts";
import type { HoldFact } from "./look-up-sql.ts";

export interface HeldUnits {
	readonly formula: string;
	readonly brand: string | null;
	readonly units: number;
}

export interface Life {
	readonly token: string;
	readonly actor: string;
	readonly ref: string | null;
	readonly units: readonly HeldUnits[];
	/** Its end by the database's clock, epoch milliseconds. */
	readonly expiresAt: number;
	/** True when a partner got an answer about it. */
	readonly told: boolean;
	readonly created: When;
	readonly end: LifeEnd;
	/** When consumed units were given back; null: never. */
	readonly back: When | null;
	readonly fact: HoldFact | null;
}

export interface LifeEnd extends When {
	readonly how: EndedBy | "expired";
	/** The reference of a consume, the Idempotency-Key of a place. */
	readonly ref: string | null;
	/** True when a partner got an answer about it. */
	readonly told: boolean;
}

export interface Lives {
	readonly byToken: ReadonlyMap<string, Life>;
	readonly findings: readonly Finding[];
}

/**
 * Milliseconds after the end of an attempt within which its effect has happened, if the tables show it: the service
 * gives up a command long before.
 */
export const SETTLES_WITHIN_MS = 30_000;

/**
 * Whether a recall may have taken units from a hold. Checks its requested lines too: if no reply arrived and a line
 * lost everything, the tables no longer show that line.
 */
export function isRecallable({ opening: { world } }: Case, { units, fact }: Pick<Life, "units" | "fact">): boolean {
	const ofLines = (fact?.lines ?? []).flatMap(({ sku }) => world.skus.find((known) => known.sku === sku)?.parts ?? []);
	return [...units, ...ofLines].some(({ formula }) => world.recalled.includes(formula));
}

/** Units that a hold was granted. A replay reports the current state, that is, without units that a recall took. */
export function grantedUnits(on: Case, life: Pick<Life, "units" | "fact">): number {
	const { units, fact } = life;
	const told = units.reduce((sum, { units: count }) => sum + count, 0);
	if (fact === null || !isRecallable(on, life)) return told;
	const { skus } = on.opening.world;
	return fact.lines.reduce((sum, { sku, qty }) => {
		const parts = skus.find((known) => known.sku === sku)?.parts ?? [];
		return sum + parts.reduce((inLine, { perKit }) => inLine + qty * perKit, 0);
	}, 0);
}

interface Beginning {
	readonly actor: string;
	readonly ref: string | null;
	readonly units: readonly HeldUnits[];
	readonly expiresAt: number;
	readonly told: boolean;
	earliest: number;
	latest: number;
}

/** Ends and reverses by the hold they name. */
interface Named {
	readonly ends: ReadonlyMap<string, readonly EndAttempt[]>;
	readonly reverses: ReadonlyMap<string, readonly ReverseAttempt[]>;
}

/** `facts`: holds of the tables by token; null if they were not read. */
export function livesOf(on: Case, attempts: Attempts, facts: ReadonlyMap<string, HoldFact> | null): Lives {
	const findings: Finding[] = [];
	const beginnings = toldBeginnings(on, attempts.reserves, findings);
	if (facts) untoldBeginnings(on, attempts.reserves, facts, beginnings, findings);
	const named: Named = {
		ends: Map.groupBy([...attempts.releases, ...attempts.consumes, ...attempts.places], ({ token }) => token),
		reverses: Map.groupBy(attempts.reverses, ({ actor, ref }) => `${actor} ${ref}`),
	};
	const byToken = new Map<string, Life>();
	for (const [token, beginning] of beginnings) {
		const fact = facts?.get(token) ?? null;
		byToken.set(token, lifeOf(on, token, beginning, fact, named, findings));
	}
	return { byToken, findings };
}

/** Holds reported in an answer. */
function toldBeginnings(on: Case, reserves: readonly ReserveAttempt[], findings: Finding[]): Map<string, Beginning> {
	const beginnings = new Map<string, Beginning>();
	const unknownByRef = Map.groupBy(
		reserves.filter(({ ref, outcome }) => ref !== null && outcome === "unknown"),
		({ actor, ref }) => `${actor} ${ref}`,
	);
	for (const { granted, actor, ref, start, end } of reserves) {
		if (granted === null) continue;
		const token = granted.reservation_token;
		// a replay returns a hold that an earlier attempt made, possibly one without an answer
		const before = (unknownByRef.get(`${actor} ${ref}`) ?? []).map((attempt) => attempt.start);
		const earliest = granted.idempotent ? Math.min(start, ...before) : start;
		const known = beginnings.get(token);
		if (!known) {
			const expiresAt = Date.parse(granted.expires_at);
			const units = unitsOf(on, granted.items);
			beginnings.set(token, { actor, ref, units, expiresAt, told: true, earliest, latest: end });
			continue;
		}
		if (known.actor !== actor || known.ref !== ref) {
			findings.push(finding("leak", `hold ${token} of ${known.actor} was also answered to ${actor}`, end));
		}
		known.earliest = Math.min(known.earliest, earliest);
		known.latest = Math.min(known.latest, end);
	}
	return beginnings;
}

/** Holds in the tables that no answer reported: each must come from an attempt with unknown outcome. */
function untoldBeginnings(
	on: Case,
	reserves: readonly ReserveAttempt[],
	facts: ReadonlyMap<string, HoldFact>,
	beginnings: Map<string, Beginning>,
	findings: Finding[],
): void {
	const names = new Map([...on.actors.values()].map(({ keyId, name }) => [keyId, name]));
	const unknown = Map.groupBy(
		reserves.filter(({ outcome }) => outcome === "unknown"),
		({ actor, ref, lines }) => signature(actor, ref, lines),
	);
	for (const fact of facts.values()) {
		if (beginnings.has(fact.token)) continue;
		const actor = names.get(fact.keyId) ?? fact.keyId;
		const candidates = unknown.get(signature(actor, fact.ref, fact.lines)) ?? [];
		const made = on.momentOf(fact.createdAt);
		const at = causeOf(on, made, candidates);
		const [attempt] = at < 0 ? [] : candidates.splice(at, 1);
		if (!attempt) {
			findings.push(
				finding(
					"doubled",
					`hold ${fact.token} of ${actor} under ${fact.ref} exists, but no request with an unknown outcome can have made it`,
				),
			);
		}
		beginnings.set(fact.token, {
			actor,
			ref: fact.ref,
			units: unitsOfTables(on, fact),
			expiresAt: fact.expiresAt,
			told: false,
			earliest: attempt?.start ?? made.earliest,
			latest: (attempt?.end ?? made.latest) + SETTLES_WITHIN_MS,
		});
	}
}

/** Units of a hold that no answer reported: those it has, and those that a recall took and could not replace. */
function unitsOfTables(on: Case, { parts, rows, lines }: HoldFact): HeldUnits[] {
	const units = parts.map(([id, brand, count]) => ({ formula: on.shelves.codeOf(id) ?? id, brand, units: count }));
	const { skus } = on.opening.world;
	const asked = lines.flatMap(({ sku, qty }) =>
		(skus.find((known) => known.sku === sku)?.parts ?? []).map(({ formula, perKit }) => ({
			formula,
			units: qty * perKit,
		})),
	);
	const sumOf = (list: readonly { readonly formula: string; readonly units: number }[], code: string): number =>
		list.filter(({ formula }) => formula === code).reduce((sum, one) => sum + one.units, 0);
	for (const [, id, brand, , count, state] of rows) {
		const formula = on.shelves.codeOf(id) ?? id;
		const missing = sumOf(asked, formula) - sumOf(units, formula);
		if (state === "displaced" && missing > 0) units.push({ formula, brand, units: Math.min(missing, count) });
	}
	return units;
}

/**
 * Index of the attempt that made a hold at this moment: the last one that had begun and had not ended long before.
 * If a fault changed the clock, the moment proves nothing, and any attempt of that time is accepted. -1: none.
 */
function causeOf(on: Case, made: When, attempts: readonly ReserveAttempt[]): number {
	const fitting = attempts.findLastIndex(
		({ start, end }) => start <= made.latest && made.earliest <= end + SETTLES_WITHIN_MS,
	);
	if (fitting >= 0) return fitting;
	return attempts.findIndex(({ start, end }) => on.clockWrongWithin(start, end + SETTLES_WITHIN_MS));
}

const signature = (actor: string, ref: string | null, lines: readonly { sku: string; qty: number }[]): string =>
	`${actor} ${ref} ${lines.map(({ sku, qty }) => `${sku}*${qty}`).join("+")}`;

/** Units by formula and pool, from an answer. */
function unitsOf(on: Case, items: readonly HeldItem[]): HeldUnits[] {
	return items.flatMap(({ brand_code: brand, components }) =>
		components.flatMap(({ formula_id: id, from_brand_pool: own, from_shared_pool: shared }) => {
			const formula = on.shelves.codeOf(id) ?? id;
			return [
				{ formula, brand, units: own },
				{ formula, brand: null, units: shared },
			].filter(({ units }) => units > 0);
		}),
	);
}

function lifeOf(
	on: Case,
	token: string,
	beginning: Beginning,
	fact: HoldFact | null,
	named: Named,
	findings: Finding[],
): Life {
	const { actor, ref, units, expiresAt, told, earliest, latest } = beginning;
	const due = on.dueAt(expiresAt, latest);
	const own = (named.ends.get(token) ?? []).filter((attempt) => attempt.actor === actor);
	const end = endOf(token, own, due, fact, findings);
	const reverses = end.how !== "consumed" ? [] : (named.reverses.get(`${actor} ${end.ref}`) ?? []);
	return {
		token,
		actor,
		ref,
		units,
		expiresAt,
		told,
		// a hold without an answer is over at its end by the clock at the latest
		created: { earliest, latest: Math.max(earliest, Math.min(latest, end.latest)) },
		end,
		back: backOf(token, reverses, fact, findings),
		fact,
	};
}

function endOf(
	token: string,
	own: readonly EndAttempt[],
	due: When,
	fact: HoldFact | null,
	findings: Finding[],
): LifeEnd {
	const done = own.filter(({ outcome }) => outcome === "done");
	const ways = [...new Set(done.map(({ how, ref }) => (ref === null ? how : `${how} under ${ref}`)))];
	if (ways.length > 1) {
		findings.push(
			finding("doubled", `hold ${token} was acknowledged as ${ways.join(" and ")}`, done.at(-1)?.end ?? null),
		);
	}
	// more than one kind of end is a finding already; continue with the one that binds units
	const first = done.find(({ how }) => how !== "released") ?? done[0];
	if (first) {
		const { how, ref } = first;
		const same = own.filter(
			(attempt) =>
				attempt.how === how && attempt.ref === ref && attempt.outcome !== "refused" && attempt.outcome !== "unsent",
		);
		return {
			how,
			ref,
			told: true,
			earliest: Math.min(...same.map(({ start }) => start)),
			latest: Math.min(...same.filter(({ outcome }) => outcome === "done").map(({ end }) => end)),
		};
	}
	return untoldEnd(token, own, due, fact, findings);
}

/** How a partner ended a hold that has this state in the tables; absent: no partner did. */
const ENDED_BY: Readonly<Record<string, EndedBy>> = {
	released: "released",
	consumed: "consumed",
	reversed: "consumed",
	placed: "placed",
};

function untoldEnd(
	token: string,
	own: readonly EndAttempt[],
	due: When,
	fact: HoldFact | null,
	findings: Finding[],
): LifeEnd {
	const open = own.filter(({ outcome }) => outcome === "unknown");
	const how = fact === null ? undefined : ENDED_BY[fact.status];
	if (fact === null || how === undefined) {
		// an unanswered attempt may have ended the hold at any time since the attempt started; once the hold's
		// `expires_at` has passed, it has certainly ended
		const maybe = fact === null ? open.map(({ start }) => start) : [];
		const gone = own.filter(({ status }) => status === 410).map(({ end }) => end);
		const earliest = Math.min(due.earliest, ...maybe);
		return {
			how: "expired",
			ref: null,
			told: false,
			earliest,
			latest: Math.max(earliest, Math.min(due.latest, ...gone)),
		};
	}
	const ref = how === "consumed" ? fact.consumeRef : how === "placed" ? fact.orderRef : null;
	const causes = open.filter((attempt) => attempt.how === how && attempt.ref === ref);
	if (causes.length === 0) {
		findings.push(
			finding(
				"doubled",
				`hold ${token} is ${fact.status} in the tables, but no request with an unknown outcome can have done this`,
			),
		);
	}
	return {
		how,
		ref,
		told: false,
		earliest: Math.min(due.earliest, ...causes.map(({ start }) => start)),
		latest: Math.max(...causes.map(({ end }) => end), 0) + SETTLES_WITHIN_MS,
	};
}

function backOf(
	token: string,
	reverses: readonly ReverseAttempt[],
	fact: HoldFact | null,
	findings: Finding[],
): When | null {
	const tried = reverses.filter(({ outcome }) => outcome === "done" || outcome === "unknown");
	const done = tried.filter(({ outcome }) => outcome === "done");
	const earliest = Math.min(...tried.map(({ start }) => start));
	if (done.length > 0) return { earliest, latest: Math.min(...done.map(({ end }) => end)) };
	const happened = fact?.status === "reversed";
	if (happened && tried.length === 0) {
		findings.push(
			finding(
				"doubled",
				`hold ${token} is reversed in the tables, but no request with an unknown outcome can have done this`,
			),
		);
	}
	if (tried.length === 0 || fact !== null) {
		return happened ? { earliest, latest: Math.max(...tried.map(({ end }) => end), 0) + SETTLES_WITHIN_MS } : null;
	}
	return { earliest, latest: Number.POSITIVE_INFINITY };
}
