/** Compares partners' answers with the possible states at that moment. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { poolsOf } from "../../world.ts";
import type { Attempts, EndAttempt, ReserveAttempt } from "./attempts.ts";
import { grantedUnits, isRecallable, type Life, type Lives } from "./lives.ts";

export function judgeAnswers(on: Case, attempts: Attempts, lives: Lives): Finding[] {
	const byConsume = new Map<string, Life>();
	for (const life of lives.byToken.values()) {
		if (life.end.how === "consumed") byConsume.set(`${life.actor} ${life.end.ref}`, life);
	}
	return [
		...attempts.reserves.flatMap((attempt) => judgeReserve(on, attempt)),
		...[...attempts.releases, ...attempts.consumes].flatMap((attempt) =>
			judgeEnd(on, attempt, lives.byToken.get(attempt.token)),
		),
		...attempts.reverses.flatMap(({ actor, ref, outcome, status, units, start, end }) => {
			const life = byConsume.get(`${actor} ${ref}`);
			const asked = `reverse of ${ref} by ${actor}`;
			if (outcome === "done" && !life)
				return [
					finding("leak", `${asked} was acknowledged, but this key had consumed nothing under the reference`, end),
				];
			const taken = life ? grantedUnits(on, life) : 0;
			if (outcome === "done" && units !== taken)
				return [finding("unexpected", `${asked} returned ${units} of ${taken} units`, end)];
			if ((status === 404 || status === 409) && life?.end.told && life.end.latest <= start) {
				return [finding("lost", `${asked} answered ${status} after the consume was acknowledged`, end)];
			}
			return judgeStatus(asked, status, [404, 409], end);
		}),
		...judgeReferences(lives),
	];
}

/** Refusals that any request may get: too busy, and a revoked key (judged by its own room). */
const ALWAYS = [401, 429];

function judgeStatus(asked: string, status: number | null, allowed: readonly number[], at: number): Finding[] {
	if (status === null || status < 300 || status >= 500 || allowed.includes(status) || ALWAYS.includes(status))
		return [];
	return [finding("unexpected", `${asked} answered ${status}`, at)];
}

function judgeReserve(on: Case, attempt: ReserveAttempt): Finding[] {
	const { granted, actor, lines, start, end, code, status, ref } = attempt;
	const asked = `reserve of ${lines.map(({ sku, qty }) => `${qty} ${sku}`).join(", ")} by ${actor}${ref === null ? "" : ` under ${ref}`}`;
	if (granted) {
		if (granted.idempotent) return [];
		return [...judgeGrant(on, attempt, asked), ...judgeItems(on, attempt, asked)];
	}
	if (code !== "no_inventory") return judgeStatus(asked, status, [409, ...(neverFits(on, attempt) ? [400] : [])], end);
	// refused although enough of everything was free throughout
	const wants = wantsOf(on, attempt);
	if (wants === null) return [];
	const enough = wants.every(({ formula, pools, units }) => {
		const there = on.shelves.units(formula, pools, start, end);
		const promised = on.shelves.promised(formula, pools, start, end);
		return !there.blurred && there.free.low - promised.high >= units;
	});
	return enough ? [finding("wrong read", `${asked} was refused for lack of units that were free throughout`, end)] : [];
}

/** Whether the request alone exceeds the cap of its key: then it is refused for good, not just for now. */
function neverFits(on: Case, { actor, lines }: ReserveAttempt): boolean {
	const { cap } = on.actor(actor);
	const { skus } = on.opening.world;
	const units = lines.map(({ sku, qty }) => {
		const parts = skus.find((known) => known.sku === sku)?.parts ?? [];
		return parts.reduce((sum, { perKit }) => sum + qty * perKit, 0);
	});
	return cap !== null && units.reduce((sum, count) => sum + count, 0) > cap;
}

function judgeGrant(on: Case, attempt: ReserveAttempt, asked: string): Finding[] {
	for (const { formula, pools, units } of wantsOf(on, attempt) ?? []) {
		const there = on.shelves.units(formula, pools, attempt.start, attempt.end);
		const most = there.free.high - on.shelves.promised(formula, pools, attempt.start, attempt.end).low;
		if (!there.blurred && most < units) {
			return [
				finding(
					"oversold",
					`${asked} was granted ${units} units of ${formula} when at most ${most} can have been free`,
					attempt.end,
				),
			];
		}
	}
	return [];
}

/** The answer contains the requested lines, only from the key's own pools. */
function judgeItems(on: Case, { granted, lines, actor, end }: ReserveAttempt, asked: string): Finding[] {
	const { shared } = on.actor(actor);
	const items = granted?.items ?? [];
	const whole =
		items.length === lines.length &&
		items.every((item, i) => {
			const line = lines[i];
			const parts = on.opening.world.skus.find(({ sku }) => sku === line?.sku)?.parts ?? [];
			return (
				item.sku === line?.sku &&
				item.reserved_qty === line.qty &&
				item.components.length === parts.length &&
				item.components.every((part, at) => {
					const units = line.qty * (parts[at]?.perKit ?? 0);
					const sum = part.from_brand_pool + part.from_shared_pool;
					return part.requested_units === units && part.reserved_units === units && sum === units;
				})
			);
		});
	if (!whole) return [finding("unexpected", `${asked} was granted other lines: ${JSON.stringify(items)}`, end)];
	const strange = items.some((item) => !shared && item.components.some((part) => part.from_shared_pool > 0));
	return strange
		? [finding("leak", `${asked} was granted units of the shared stock, which this key has no access to`, end)]
		: [];
}

/** Requested units, by formula and pools; null when one formula is requested from different pools. */
function wantsOf(on: Case, { actor, lines }: ReserveAttempt) {
	const key = on.actor(actor);
	const wants = new Map<string, { formula: string; pools: readonly string[]; units: number }>();
	for (const { sku, qty, brand_code: named } of lines) {
		const pools = poolsOf(key, named ?? null);
		for (const { formula, perKit } of on.opening.world.skus.find((known) => known.sku === sku)?.parts ?? []) {
			const want = wants.get(formula);
			if (want && want.pools.join() !== pools.join()) return null;
			wants.set(formula, { formula, pools, units: (want?.units ?? 0) + qty * perKit });
		}
	}
	return [...wants.values()];
}

function judgeEnd(on: Case, attempt: EndAttempt, life: Life | undefined): Finding[] {
	const { actor, token, ref, start, end, status, outcome, units } = attempt;
	const asked = `${ref === null ? "release" : `consume under ${ref}`} of ${token} by ${actor}`;
	if (!life || life.actor !== actor) {
		if (outcome === "done")
			return [
				finding("leak", `${asked} was acknowledged, but the hold is ${life ? `${life.actor}'s` : "unknown"}`, end),
			];
		return life ? judgeStatus(asked, status, [404], end) : [];
	}
	const due = on.dueAt(life.expiresAt, life.created.latest);
	if (outcome === "done") {
		// an attempt that began before the hold's end and got no answer may have ended it, and this answer is its
		// replay
		if (life.end.latest === end && life.end.earliest > due.latest)
			return [finding("unexpected", `${asked} was acknowledged after the hold's end`, end)];
		if (ref !== null && units !== grantedUnits(on, life))
			return [finding("unexpected", `${asked} took ${units} of ${grantedUnits(on, life)} units`, end)];
		return [];
	}
	if (status === 404 && life.told && life.created.latest <= start)
		return [finding("lost", `${asked} answered 404 after the hold was acknowledged`, end)];
	if (status === 410) return judgeGone(on, attempt, life, asked, due.earliest);
	return judgeStatus(asked, status, [404, 410], end);
}

/** 410: the hold must have ended, or lost units to a recall. */
function judgeGone(on: Case, { ref, end }: EndAttempt, life: Life, asked: string, dueEarliest: number): Finding[] {
	const overBefore = life.end.earliest <= end || dueEarliest <= end;
	const reversed = ref !== null && life.back !== null && life.back.earliest <= end;
	const recalled = isRecallable(on, life);
	const otherWay = life.end.how !== (ref === null ? "released" : "consumed") || life.end.ref !== ref;
	if (dueEarliest <= end || (overBefore && otherWay) || reversed || (ref !== null && recalled)) return [];
	return [finding("lost", `${asked} answered 410 while the hold was active`, end)];
}

/** One active hold per key and reference. */
function judgeReferences(lives: Lives): Finding[] {
	const findings: Finding[] = [];
	const byRef = Map.groupBy(
		[...lives.byToken.values()].filter(({ ref }) => ref !== null),
		({ actor, ref }) => `${actor} ${ref}`,
	);
	for (const [name, under] of byRef) {
		under.sort((a, b) => a.created.earliest - b.created.earliest);
		for (const [i, later] of under.entries()) {
			const earlier = under[i - 1];
			// certainly existed before the later one began, and still when it was made
			if (earlier && earlier.created.latest < later.created.earliest && later.created.latest < earlier.end.earliest) {
				findings.push(
					finding(
						"doubled",
						`${name} has two active holds at the same time: ${earlier.token} and ${later.token}`,
						later.created.latest,
					),
				);
			}
		}
	}
	return findings;
}
