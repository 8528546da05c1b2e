/** Compares partners' answers about orders with the possible states at that moment. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import type { Life } from "../holds/lives.ts";
import type { CombineAttempt, NamedAttempt, OrderAttempts, PlaceAttempt } from "./attempts.ts";
import type { Career, Careers, OrderCommand } from "./careers.ts";

/** Refusals that any request may get: too busy, and a revoked key (judged by its own room). */
const ALWAYS = [401, 429];

const wrong = (kind: Wrong, what: string, at: number): Finding[] => [finding(kind, what, at, "orders")];

export function judgeOrderAnswers(
	on: Case,
	attempts: OrderAttempts,
	careers: Careers,
	lives: ReadonlyMap<string, Life>,
): Finding[] {
	const named = byName(careers.byId.values());
	return [
		...attempts.places.flatMap((attempt) => judgePlace(on, attempt, lives.get(attempt.token))),
		...judgeKeys(attempts.places),
		...attempts.gets.flatMap((attempt) => judgeNamed(on, "get", attempt, named, careers)),
		...attempts.cancels.flatMap((attempt) => judgeNamed(on, "cancel", attempt, named, careers)),
		...judgeVersions([...attempts.gets, ...attempts.cancels]),
		...attempts.combines.flatMap((attempt) => judgeCombine(attempt, named)),
	];
}

/** Orders by the names that partners use: the id, and, for its own key only, the Idempotency-Key. */
function byName(careers: Iterable<Career>): ReadonlyMap<string, Career> {
	const named = new Map<string, Career>();
	for (const career of careers) {
		named.set(career.orderId, career);
		named.set(`${career.actor} ${career.key}`, career);
	}
	return named;
}

function judgePlace(on: Case, attempt: PlaceAttempt, life: Life | undefined): Finding[] {
	const { actor, token, key, order, start, end, status, code } = attempt;
	const asked = `place of hold ${token} under ${key} by ${actor}`;
	if (order) {
		if (life?.actor !== actor)
			return wrong("leak", `${asked} was acknowledged, but the hold is ${life ? `${life.actor}'s` : "unknown"}`, end);
		if (order.reservation_token !== token || order.ref !== key)
			return wrong("unexpected", `${asked} answers order ${order.order_id} of ${order.reservation_token}`, end);
		return [];
	}
	if (status === null || status >= 500 || ALWAYS.includes(status)) return [];
	const refused = `${asked} was refused with ${status} ${code}`;
	if (life?.actor !== actor) {
		const same = life !== undefined && on.actors.get(life.actor)?.partner === on.actor(actor).partner;
		return code === (same ? "reservation_forbidden" : "reservation_not_found") ? [] : wrong("unexpected", refused, end);
	}
	const { end: ending } = life;
	const recalled = life.units.some(({ formula }) => on.opening.world.recalled.includes(formula));
	// for each refusal, how the hold must have ended by the time of the answer
	const ended = ending.earliest <= end;
	const right: Readonly<Record<string, boolean>> = {
		hold_race: true,
		idempotency_mismatch: true,
		kit_incomplete: recalled,
		reservation_empty: recalled,
		reservation_expired: on.dueAt(life.expiresAt, life.created.latest).earliest <= end,
		reservation_gone: ended && ending.how === "released",
		reservation_used: ended && (ending.how === "consumed" || (ending.how === "placed" && ending.ref !== key)),
	};
	const lost = code === "reservation_not_found" && life.told && life.created.latest <= start;
	if (lost) return wrong("lost", `${refused} after the hold was acknowledged`, end);
	if (code === "reservation_not_found" || right[code ?? ""]) return [];
	return wrong(code !== null && code in right ? "lost" : "unexpected", `${refused}, although the hold was active`, end);
}

/** One order for each Idempotency-Key: the same in every answer, and reported as new by one answer at most. */
function judgeKeys(places: readonly PlaceAttempt[]): Finding[] {
	const byKey = Map.groupBy(places, ({ actor, key }) => `${actor} under ${key}`);
	return [...byKey].flatMap(([name, tries]) => {
		const done = tries.filter(({ order }) => order !== null);
		const ids = new Set(done.map(({ order }) => order?.order_id));
		const at = done.at(-1)?.end ?? 0;
		if (ids.size > 1)
			return wrong("doubled", `${name} was answered with ${ids.size} different orders: ${[...ids].join(", ")}`, at);
		const made = done.filter(({ status }) => status === 201);
		if (made.length > 1)
			return wrong("doubled", `${name} was answered ${made.length} times that its order was new`, at);
		const untold = tries.some(({ outcome }) => outcome === "unknown");
		if (done.length > 0 && made.length === 0 && !untold)
			return wrong("doubled", `${name} was answered as a repeat, although every earlier attempt had been answered`, at);
		return [];
	});
}

function judgeNamed(
	on: Case,
	what: "get" | "cancel",
	attempt: NamedAttempt,
	named: ReadonlyMap<string, Career>,
	{ commands }: Careers,
): Finding[] {
	const { actor, ref, order, start, end, status, code } = attempt;
	const asked = `${what} of order ${ref} by ${actor}`;
	const career = named.get(`${actor} ${ref}`) ?? named.get(ref);
	if (order) {
		if (career?.actor !== actor) return wrong("leak", `${asked} was answered, but the order is not this key's`, end);
		if (order.order_id !== career.orderId || order.reservation_token !== career.token)
			return wrong("unexpected", `${asked} answers order ${order.order_id}`, end);
		return judgeState(career, order.status, asked, attempt);
	}
	if (status === null || status >= 500 || ALWAYS.includes(status)) return [];
	const refused = `${asked} was refused with ${status} ${code}`;
	if (!career) return code === "order_not_found" ? [] : wrong("unexpected", refused, end);
	if (career.actor !== actor) {
		const same = on.actors.get(career.actor)?.partner === on.actor(actor).partner;
		const right = code === "order_not_found" || (same && code === "order_forbidden");
		return right ? [] : wrong("unexpected", refused, end);
	}
	if (code === "order_not_found") {
		const lost = career.told && career.placed.latest <= start;
		return lost ? wrong("lost", `${refused} after it was acknowledged`, end) : [];
	}
	if (what === "get" || code !== "order_not_cancellable") return wrong("unexpected", refused, end);
	return leftBy(career, commands, end)
		? []
		: wrong("wrong read", `${refused}, although nobody had picked or shipped it`, end);
}

/**
 * Whether the order can have been picked or shipped by then. It may be shipped under the name of another in its box.
 */
const leftBy = ({ fact, orderId }: Career, commands: readonly OrderCommand[], at: number): boolean =>
	commands.some(
		({ about, errand }) =>
			errand.start <= at &&
			((about.what === "pick" && about.orders.includes(orderId)) ||
				(about.what === "ship" &&
					(fact === null || about.orders.includes(orderId) || fact.boxes.length > 1 || fact.shipped > 0))),
	);

function judgeState({ cancelled }: Career, status: string, asked: string, { start, end }: NamedAttempt): Finding[] {
	if (status === "cancelled") {
		const can = cancelled !== null && cancelled.earliest <= end;
		return can ? [] : wrong("wrong read", `${asked} says cancelled, although nobody had cancelled it`, end);
	}
	const over = cancelled?.told === true && cancelled.latest < start;
	return over ? wrong("wrong read", `${asked} says ${status} after it was acknowledged as cancelled`, end) : [];
}

/** A later answer never has an older version. */
function judgeVersions(attempts: readonly NamedAttempt[]): Finding[] {
	const told = attempts.flatMap(({ order, start, end }) => (order ? [{ order, start, end }] : []));
	return [...Map.groupBy(told, ({ order }) => order.order_id)].flatMap(([orderId, answers]) => {
		const inOrder = answers.toSorted((a, b) => a.end - b.end);
		let newest = inOrder[0];
		for (const answer of inOrder) {
			const older = newest !== undefined && answer.order.version < newest.order.version && newest.end < answer.start;
			if (older)
				return wrong(
					"wrong read",
					`order ${orderId} was answered in version ${answer.order.version} after ${newest?.order.version}`,
					answer.end,
				);
			if (newest === undefined || answer.order.version > newest.order.version) newest = answer;
		}
		return [];
	});
}

/** Codes with which the contract refuses to combine orders. */
const NOT_COMBINED = ["wrong_state", "invalid_input"];

function judgeCombine(attempt: CombineAttempt, named: ReadonlyMap<string, Career>): Finding[] {
	const { actor, refs, box, start, end, status, code } = attempt;
	const asked = `combine of ${refs.join(" and ")} by ${actor}`;
	const careers = refs.map((ref) => named.get(`${actor} ${ref}`) ?? named.get(ref));
	if (box) {
		if (careers.some((career) => career?.actor !== actor))
			return wrong("leak", `${asked} was acknowledged, but not all orders are this key's`, end);
		const inBox = box.orders.map(({ order_id: id }) => id);
		const strange = inBox.some((id) => !careers.some((career) => career?.orderId === id));
		return strange ? wrong("unexpected", `${asked} answers a box with ${inBox.join(", ")}`, end) : [];
	}
	if (status === null || status >= 500 || ALWAYS.includes(status) || NOT_COMBINED.includes(code ?? "")) return [];
	const lost = careers.every((career) => career?.told === true && career.placed.latest <= start);
	if (code === "order_not_found" && !lost) return [];
	return wrong(lost ? "lost" : "unexpected", `${asked} was refused with ${status} ${code}`, end);
}
