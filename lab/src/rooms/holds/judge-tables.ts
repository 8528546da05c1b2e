/** Compares acknowledged operations with the tables at the end: each must be there exactly once. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { grantedUnits, isRecallable, type Life } from "./lives.ts";
import type { HoldFact, HoldFacts } from "./look-up-sql.ts";

/** Milliseconds after a hold's end within which the sweep must have recorded it. */
const SWEPT_WITHIN_MS = 30_000;

export function judgeTables(on: Case, lives: Iterable<Life>, { now }: HoldFacts): Finding[] {
	const findings: Finding[] = [];
	const byRef = new Map<string, HoldFact[]>();
	for (const life of lives) {
		const { fact, told, token } = life;
		if (fact) {
			findings.push(...judgeFact(on, life, fact, now));
			if (fact.ref !== null)
				byRef.set(`${fact.keyId} ${fact.ref}`, [...(byRef.get(`${fact.keyId} ${fact.ref}`) ?? []), fact]);
		} else if (told) {
			findings.push(
				finding(
					"lost",
					`hold ${token} of ${life.actor} was acknowledged, but is not in the tables`,
					life.created.latest,
				),
			);
		}
	}
	return [...findings, ...(on.clockWasStepped ? [] : [...byRef.values()].flatMap(judgeOverlaps))];
}

function judgeFact(on: Case, life: Life, fact: HoldFact, now: number): Finding[] {
	const { token, actor, end, back } = life;
	const problems: Finding[] = [];
	const said = `hold ${token} of ${actor}`;
	if (fact.keyId !== on.actors.get(actor)?.keyId)
		problems.push(finding("leak", `${said} belongs to key ${fact.keyId} in the tables`));
	if (end.told) {
		const reached = end.how === "consumed" ? ["consumed", "reversed"] : [end.how];
		if (!reached.includes(fact.status))
			problems.push(finding("lost", `${said} was acknowledged as ${end.how}, but is ${fact.status}`, end.latest));
		else {
			const stands = end.how === "placed" ? fact.orderRef : fact.consumeRef;
			if (end.ref !== null && stands !== end.ref)
				problems.push(
					finding("lost", `${said} was ${end.how} under ${end.ref}, but is recorded under ${stands}`, end.latest),
				);
		}
		const givenBack = back !== null && back.latest !== Number.POSITIVE_INFINITY;
		if (givenBack && fact.status !== "reversed")
			problems.push(finding("lost", `${said} was acknowledged as reversed, but is ${fact.status}`, back.latest));
	}
	if (fact.status === "active" && fact.expiresAt < now - SWEPT_WITHIN_MS) {
		problems.push(
			finding("unexpected", `${said} is still active ${Math.round((now - fact.expiresAt) / 1000)} s after its end`),
		);
	}
	if (fact.status === "expired" && (fact.endedAt ?? now) < fact.expiresAt && !on.clockWasStepped) {
		problems.push(finding("unexpected", `${said} expired before its end`));
	}
	return [...problems, ...judgeUnits(on, life, fact, said)];
}

/** Units are bound and moved exactly once. A recall may remove units, so fewer may be left at the end. */
export function judgeUnits(on: Case, life: Life, fact: HoldFact, said: string): Finding[] {
	const total = grantedUnits(on, life);
	const recalled = isRecallable(on, life);
	const problems: Finding[] = [];
	const compare = (what: string, found: number, expected: number): void => {
		if (found > expected) problems.push(finding("doubled", `${said}: ${found} units ${what}, expected ${expected}`));
		else if (found < expected && !recalled)
			problems.push(finding("lost", `${said}: ${found} units ${what}, expected ${expected}`));
	};
	const bound = fact.parts.reduce((sum, [, , units]) => sum + units, 0);
	if (!recalled) compare("bound", bound, total);
	const { reserve = 0, release = 0, consume = 0, reverse = 0, expire = 0, place = 0 } = fact.moved;
	compare("moved by reserve", reserve, total);
	const ended = {
		active: [0, 0, 0, 0],
		released: [1, 0, 0, 0],
		expired: [0, 0, 1, 0],
		consumed: [0, 1, 0, 0],
		reversed: [0, 1, 0, 1],
		placed: [0, 0, 0, 0],
	}[fact.status];
	const [released = 0, consumed = 0, expired = 0, reversed = 0] = ended ?? [];
	compare("moved by release", release, released * total);
	compare("moved by consume", consume, consumed * total);
	// single parts of an active hold past its end may be freed before the sweep reaches it
	if (fact.status !== "active") compare("moved by expiry", expire, expired * total);
	compare("moved by place", place, fact.status === "placed" ? total : 0);
	compare("moved by reverse", reverse, reversed * total);
	return problems;
}

/** Holds of one key under one reference were active one after the other, by the database's clock. */
function judgeOverlaps(facts: HoldFact[]): Finding[] {
	facts.sort((a, b) => a.createdAt - b.createdAt);
	return facts.flatMap((fact, i) => {
		const before = facts[i - 1];
		if (!before || Math.min(before.endedAt ?? before.expiresAt, before.expiresAt) <= fact.createdAt) return [];
		return [
			finding("doubled", `holds ${before.token} and ${fact.token} were active at the same time under ${fact.ref}`),
		];
	});
}
