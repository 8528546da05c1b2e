/**
 * Line and lot of each hold: the units bound in the tables, the lots in replies, and the order in which lots are to be
 * taken.
 */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { HeldItem, ReserveAttempt } from "./attempts.ts";
import { isRecallable, type Life } from "./lives.ts";
import type { HoldFacts, PartRow } from "./look-up-sql.ts";

/** Holds that a recall may have affected are not judged here, because their units are picked again. */
export function judgeLines(
	on: Case,
	reserves: readonly ReserveAttempt[],
	lives: ReadonlyMap<string, Life>,
	facts: HoldFacts,
): Finding[] {
	const turns = new Map(facts.lots.map(({ fgId, turn }) => [fgId, turn]));
	const lasting = [...lives.values()].filter((life) => life.fact !== null && !isRecallable(on, life));
	return [
		...lasting.flatMap((life) => judgeBound(on, life)),
		...lasting.flatMap((life) => judgeTurns(life, turns)),
		...reserves.flatMap((attempt) => judgeReply(on, attempt, lives)),
		...(on.clockWasStepped ? [] : judgePassed(facts)),
	];
}

const rowsOf = (life: Life, line: number, formulaId: string): PartRow[] =>
	(life.fact?.rows ?? []).filter(([of, id]) => of === line && id === formulaId);
const unitsIn = (rows: readonly PartRow[]): number => rows.reduce((sum, [, , , , units]) => sum + units, 0);

/** Each line has its own units, whatever happened to them. */
function judgeBound(on: Case, life: Life): Finding[] {
	const { world } = on.opening;
	return (life.fact?.lines ?? []).flatMap(({ sku, qty }, line) =>
		(world.skus.find((known) => known.sku === sku)?.parts ?? []).flatMap(({ formula, perKit }) => {
			const formulaId = world.formulas.find(({ code }) => code === formula)?.formulaId ?? "";
			const found = unitsIn(rowsOf(life, line, formulaId));
			const expected = qty * perKit;
			if (found === expected) return [];
			const what = `hold ${life.token} of ${life.actor}: line ${line} has ${found} units of ${formula}, expected ${expected}`;
			return [finding(found < expected ? "lost" : "doubled", what)];
		}),
	);
}

/** For each line and pool, the lots were taken in order. */
function judgeTurns(life: Life, turns: ReadonlyMap<string, number>): Finding[] {
	const shelves = Map.groupBy(
		lotsOnce(life.fact?.rows ?? []),
		([line, formulaId, brand]) => `${line} ${formulaId} ${brand}`,
	);
	return [...shelves.values()].flatMap((rows) => {
		const order = rows.map(([, , , fgId]) => turns.get(fgId) ?? 0);
		if (order.every((turn, at) => at === 0 || turn > (order[at - 1] ?? 0))) return [];
		return [finding("unexpected", `hold ${life.token} of ${life.actor} took lots out of order: ${order.join(", ")}`)];
	});
}

/** The first row of each line and lot: shipping in parts splits a row. */
function lotsOnce(rows: readonly PartRow[]): PartRow[] {
	const seen = new Set<string>();
	return rows.filter(([line, formulaId, , fgId]) => {
		const name = `${line} ${formulaId} ${fgId}`;
		return seen.has(name) ? false : seen.add(name);
	});
}

/** What a reply says about a line matches its rows: lots in picking order, and units by pool. */
function judgeReply(on: Case, attempt: ReserveAttempt, lives: ReadonlyMap<string, Life>): Finding[] {
	const { granted, actor, end } = attempt;
	const life = granted === null ? undefined : lives.get(granted.reservation_token);
	if (granted === null || !life || life.fact === null || isRecallable(on, life)) return [];
	const wrong = granted.items.findIndex((item, line) => !isAsBound(life, item, line));
	if (wrong < 0) return [];
	const said = JSON.stringify(granted.items[wrong]);
	return [
		finding(
			"changed",
			`hold ${life.token} of ${actor}: the reply gave line ${wrong} as ${said}, but its rows differ`,
			end,
		),
	];
}

const isAsBound = (life: Life, item: HeldItem, line: number): boolean =>
	item.components.every(({ formula_id: id, fg_ids: fgIds, from_brand_pool: own, from_shared_pool: shared }) => {
		const rows = rowsOf(life, line, id);
		const lots = lotsOnce(rows).map(([, , , fgId]) => fgId);
		const common = unitsIn(rows.filter(([, , brand]) => brand === null));
		return lots.join() === fgIds.join() && common === shared && unitsIn(rows) - common === own;
	});

const judgePassed = ({ passed }: HoldFacts): Finding[] =>
	passed.map(({ token, taken, passed: fgId }) =>
		finding(
			"unexpected",
			`hold ${token} took units of lot ${taken}, although lot ${fgId}, which comes first, had free ones throughout`,
		),
	);
