import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Topic } from "../../knowledge.ts";
import type { Oracle, Probe } from "../room.ts";
import { type Attempts, attemptsIn } from "./attempts.ts";
import { judgeAnswers } from "./judge-answers.ts";
import { judgeLines } from "./judge-lines.ts";
import { judgeTables } from "./judge-tables.ts";
import { grantedUnits, type Life, type Lives, livesOf } from "./lives.ts";
import { type HoldFacts, lookUpHolds } from "./look-up-sql.ts";
import { judgeCaps, settleLives } from "./settle.ts";

/** What the room derives from a case. */
interface Notes {
	attempts: Attempts;
	lives: Lives;
}
const NOTES: Topic<Notes> = {
	name: "holds",
	make: () => ({ attempts: attemptsIn([]), lives: { byToken: new Map(), findings: [] } }),
};

/** The lives of all holds, for rooms that build on them. Available once this room has settled the case. */
export const livesIn = (on: Case): ReadonlyMap<string, Life> => on.notes(NOTES).lives.byToken;

/** Milliseconds between an acknowledgement and a fault that give its probe priority. */
const NEAR_A_FAULT_MS = 2_000;
/** Remaining milliseconds that a hold needs to be probed as an active one. */
const STILL_LIVES_MS = 30_000;

export const HOLD_ORACLE: Oracle = {
	lookUp: lookUpHolds,
	settle(on) {
		const notes = on.notes(NOTES);
		const facts = on.facts<HoldFacts>("holds");
		notes.attempts = attemptsIn(on.exchanges);
		notes.lives = livesOf(on, notes.attempts, facts ? new Map(facts.holds.map((fact) => [fact.token, fact])) : null);
		settleLives(on, notes.lives.byToken.values());
	},
	judge(on) {
		const { attempts, lives } = on.notes(NOTES);
		const facts = on.facts<HoldFacts>("holds");
		return [
			...lives.findings,
			...judgeAnswers(on, attempts, lives),
			...judgeCaps(on, lives.byToken.values()),
			...(facts ? judgeTables(on, lives.byToken.values(), facts) : []),
			...(facts ? judgeLines(on, attempts.reserves, lives.byToken, facts) : []),
		];
	},
	probes(on) {
		const now = on.facts<HoldFacts>("holds")?.now ?? Number.POSITIVE_INFINITY;
		return [...livesIn(on).values()].flatMap((life) => probeOf(on, life, now) ?? []);
	},
};

/** What the API must answer about a hold at the end. */
function probeOf(on: Case, life: Life, now: number): Probe | null {
	const { actor, token, end, back, told } = life;
	if (!told) return null;
	const last = Math.max(life.created.latest, end.told ? end.latest : 0);
	const urgent = on.faults.some(({ began, ended }) => began - NEAR_A_FAULT_MS < last && last < ended + NEAR_A_FAULT_MS);
	const ask = (
		path: string,
		body: unknown,
		expected: string,
		right: (status: number, data: Data) => boolean,
	): Probe => ({
		actor,
		method: "POST",
		path: `/api/v1/${path}`,
		body,
		urgent,
		judge: (status, reply): Finding | null => {
			const data = (reply as { data?: Data } | null)?.data ?? {};
			return right(status, data)
				? null
				: finding(
						"lost",
						`hold ${token} of ${actor}: ${path} answers ${status} ${JSON.stringify(reply)}, expected ${expected}`,
					);
		},
	});
	const units = grantedUnits(on, life);
	if (back && back.latest !== Number.POSITIVE_INFINITY) {
		return ask(
			"consume/reverse",
			{ external_ref: end.ref },
			"the same reverse",
			(status, data) => status === 200 && data.idempotent === true && data.returned_units === units,
		);
	}
	if (end.told && end.how === "consumed" && !back) {
		const body = { reservation_token: token, external_ref: end.ref };
		return ask(
			"consume",
			body,
			"the same consume",
			(status, data) => status === 200 && data.idempotent === true && data.consumed_units === units,
		);
	}
	if (end.told && end.how === "released") {
		return ask(
			"release",
			{ reservation_token: token },
			"that it is released",
			(status, data) => status === 200 && data.ok === true,
		);
	}
	if (end.told || life.fact?.status !== "active" || life.expiresAt < now + STILL_LIVES_MS) return null;
	if (life.ref === null)
		return ask("release", { reservation_token: token }, "that it can be released", (status) => status === 200);
	// whatever is requested, the answer must be the existing hold
	const body = { items: [{ sku: on.opening.world.skus[0]?.sku, qty: 1 }], external_ref: life.ref };
	return ask(
		"reserve",
		body,
		"the same hold",
		(status, data) => status === 201 && data.idempotent === true && data.reservation_token === token,
	);
}

interface Data {
	readonly idempotent?: boolean;
	readonly ok?: boolean;
	readonly reservation_token?: string;
	readonly consumed_units?: number;
	readonly returned_units?: number;
}
