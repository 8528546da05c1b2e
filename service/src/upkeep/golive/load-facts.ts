import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { findProbedEndpoint } from "../../partners/webhooks/send-probe.ts";
import {
	CHECKS,
	type CheckName,
	type Drill,
	type FactRequest,
	type GoLiveFacts,
	type Look,
	type Review,
} from "./facts.ts";
import {
	type LookRow,
	type RequestRow,
	type ReviewRow,
	selectDrills,
	selectFactDeliveries,
	selectFactRequests,
	selectLooks,
	selectProbes,
	selectRetirement,
	selectReviews,
	selectUnkindHour,
} from "./facts-sql.ts";
import { MOST_REQUESTS } from "./limits.ts";
import type { GoLiveRun, Waiver } from "./run.ts";
import { actsOn } from "./unkind-acts.ts";

/** The facts by which a run is judged, and its waivers. */
export interface LoadedFacts {
	readonly facts: GoLiveFacts;
	/** The last waiver for each check. */
	readonly waivers: readonly Waiver[];
	/** Whether there were too many requests, or bodies, to read all of them. */
	readonly cut: { readonly requests: boolean; readonly bodies: boolean };
}

/**
 * Reads the facts by which a run is judged, up to now or up to its end. If there are too many requests, the oldest are
 * left out.
 */
export async function loadFacts(db: Query, run: GoLiveRun): Promise<LoadedFacts> {
	const { goLiveId, keyId, partnerId } = run;
	const now = run.endedAt === null ? Math.floor(await selectNow(db)) : run.endedAt.getTime();
	const startedAt = run.startedAt.getTime();
	const [requests, looks, probes, drills, retirement, reviews, deliveries, endpoint, unkind] = await Promise.all([
		selectFactRequests(db, keyId, startedAt, now),
		selectLooks(db, goLiveId),
		selectProbes(db, goLiveId),
		selectDrills(db, goLiveId, now),
		selectRetirement(db, goLiveId),
		selectReviews(db, goLiveId),
		selectFactDeliveries(db, partnerId, startedAt),
		findProbedEndpoint(db, { partnerId, environment: "sandbox" }),
		selectUnkindHour(db, goLiveId, now),
	]);
	const may = new Set(run.scopes);
	const judged = requests.rows.slice(-MOST_REQUESTS).map(requestOf);
	const hour = unkind.rows[0] ?? null;
	const facts = {
		now,
		startedAt,
		mayReserve: may.has("atp.reserve"),
		mayOrder: may.has("atp.orders"),
		mayConsume: may.has("atp.consume"),
		hasEndpoint: endpoint !== null,
		hasStatusAddress: run.statusUrl !== null,
		mapped: run.mapped,
		requests: judged,
		looks: looks.rows.map(lookOf),
		retirement: retirement.rows[0] ?? null,
		probes: probes.rows.toReversed(),
		deliveries: deliveries.rows.toReversed(),
		drills: drills.rows.toReversed().map(endedBy(run)),
		unkind: hour && { ...hour, acts: [...actsOn(judged, hour), ...hour.acts] },
		reviews: reviews.rows.flatMap(reviewOf),
	};
	const cut = {
		requests: requests.rows.length > MOST_REQUESTS,
		bodies: requests.rows.some((row) => row.withoutBodies),
	};
	return { facts, waivers: reviews.rows.flatMap(waiverOf), cut };
}

/** A drill that was under way when the run was stopped ended with it. */
const endedBy =
	({ endedAt }: GoLiveRun) =>
	(drill: Drill): Drill =>
		drill.to === null && endedAt !== null ? { ...drill, to: endedAt.getTime() } : drill;

/** The codes whose replies always have a Retry-After: one second if the log has no other value. */
const ALWAYS_AGAIN: ReadonlySet<string | null> = new Set(["rate_limited", "retry", "hold_race"]);

const requestOf = ({ bodyIn, bodyOut, withoutBodies: _withoutBodies, ...row }: RequestRow): FactRequest => ({
	...row,
	about: row.about ?? [],
	body: jsonOf(bodyIn),
	reply: jsonOf(bodyOut),
	retryAfter: row.retryAfter ?? (ALWAYS_AGAIN.has(row.code) ? 1 : null),
});

/** Null: there was no body, or it was cut off, or it is not JSON. */
function jsonOf(text: string | null): unknown {
	if (text === null) return null;
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

const lookOf = ({ counts, documents, ...look }: LookRow): Look => ({
	...look,
	counts: new Map(Object.entries(counts)),
	documents: new Map(Object.entries(documents)),
});

const isCheck = (name: string): name is CheckName => (CHECKS as readonly string[]).includes(name);

const reviewOf = ({ check, at, passed, by, words }: ReviewRow): Review[] =>
	passed !== null && isCheck(check) ? [{ check, at, by, passed, words }] : [];

const waiverOf = ({ check, at, passed, by, words }: ReviewRow): Waiver[] =>
	passed === null && isCheck(check) ? [{ check, at, by, reason: words }] : [];
