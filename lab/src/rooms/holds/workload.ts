/** Partners' operations on holds. */
import type { Chance } from "../../chance.ts";
import type { Exchange, Outcome } from "../../history.ts";
import type { WorldSku } from "../../world.ts";
import type { Ask, Operation, Situation } from "../room.ts";
import { HOLDS, type HoldsOfKey, type KnownHold, type SentLine } from "./known.ts";

/** Share of reserves with a reference, so that they can be repeated. */
const WITH_REFERENCE = 0.75;
/** Share of reserves with the shortest lifetime, one minute. */
const SHORT_LIVED = 0.3;
/** Share of those that are left to expire. */
const LEFT_TO_THE_CLOCK = 0.35;
/** Share of reserves for longer than a day, to which the stricter rule for expiry dates applies. */
const LONG_LIVED = 0.05;
const LONG_MINUTES = 2_000;
/** Share of reserves with several lines. */
const SEVERAL_LINES = 0.2;
const MOST_LINES = 3;
/** Share of further lines with the first line's SKU, so that lines share lots. */
const SAME_AGAIN = 0.4;
const MOST_QTY = 3;
/** Share of ends of a hold that another client of the same key may attempt too. */
const CONTESTED = 0.1;
/** Share of lines that name the brand although they need not. */
const BRAND_NAMED = 0.2;
const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 30;
/** Milliseconds after its end during which a partner still tries to use a hold. */
const LATE_MS = 1_500;

interface HoldReply {
	readonly data: { readonly reservation_token: string; readonly expires_at: string };
}

const post = (path: string, body: unknown, repeatable: boolean, learn?: Ask["learn"]): Ask => ({
	method: "POST",
	path: `/api/v1/${path}`,
	body,
	repeatable,
	...(learn ? { learn } : {}),
});

function linesOf({ world, actor, chance }: Situation): SentLine[] {
	const count = chance.happens(SEVERAL_LINES) ? chance.between(2, MOST_LINES) : 1;
	const named = actor.brand ?? (actor.shared ? chance.pick(world.brands) : null);
	const lines: SentLine[] = [];
	for (let i = 0; i < count; i++) {
		const [first] = lines;
		const { sku } = first && chance.happens(SAME_AGAIN) ? first : weighted(world.skus, chance);
		const brand = named !== null && chance.happens(BRAND_NAMED) ? { brand_code: named } : {};
		lines.push({ sku, qty: chance.between(1, MOST_QTY), ...brand });
	}
	return lines;
}

function weighted(skus: readonly WorldSku[], chance: Chance): WorldSku {
	let left = chance.fraction() * skus.reduce((sum, { weight }) => sum + weight, 0);
	for (const sku of skus) {
		left -= sku.weight;
		if (left < 0) return sku;
	}
	return chance.pick(skus);
}

function minutesOf(chance: Chance): number | undefined {
	if (chance.happens(SHORT_LIVED)) return 1;
	return chance.happens(LONG_LIVED) ? LONG_MINUTES : undefined;
}

function reserve(situation: Situation): Ask | null {
	const { knows, actor, chance } = situation;
	const holds = knows.of(HOLDS);
	const own = holds.of(actor.name);
	if (own.full) return null;
	const items = linesOf(situation);
	// under a cap, every reserve is repeated until its outcome is known: an unknown hold would use up the cap until it
	// expires
	const ref = actor.cap !== null || chance.happens(WITH_REFERENCE) ? holds.newReference("r") : null;
	const minutes = minutesOf(chance);
	// holds left to expire would soon use up a cap
	const left = minutes === 1 && actor.cap === null && chance.happens(LEFT_TO_THE_CLOCK);
	const body = {
		items,
		...(minutes === undefined ? {} : { ttl_minutes: minutes }),
		...(ref === null ? {} : { external_ref: ref }),
	};
	return post("reserve", body, ref !== null, (answer, outcome) => {
		if (outcome !== "done") return;
		const { reservation_token: token } = (answer.reply as HoldReply).data;
		const endsAt = answer.end + (minutes ?? DEFAULT_MINUTES) * MINUTE_MS;
		(left ? own.left : own.open).put({ token, ref, lines: items, endsAt, consumeRef: null, placeKey: null });
	});
}

/** Repeats a reserve while its hold is open; sometimes with other items, which must change nothing. */
function replay(situation: Situation): Ask | null {
	const { knows, actor, chance, world } = situation;
	const hold = knows.of(HOLDS).of(actor.name).open.look(chance);
	if (hold === null || hold.ref === null || hold.endsAt - situation.now < LATE_MS) return null;
	const items = chance.happens(0.2) ? [{ sku: weighted(world.skus, chance).sku, qty: 1 }] : hold.lines;
	return post("reserve", { items, external_ref: hold.ref }, true);
}

/** Takes a hold to end it; a contested one stays for another client to end as well. */
const pick = (own: HoldsOfKey, chance: Chance): KnownHold | null =>
	chance.happens(CONTESTED) ? own.open.look(chance) : own.open.take(chance);

function release({ knows, actor, chance }: Situation): Ask | null {
	const own = knows.of(HOLDS).of(actor.name);
	const hold = pick(own, chance);
	if (hold === null) return null;
	return post("release", { reservation_token: hold.token }, true, (_, outcome) => {
		if (outcome === "done") own.over.put(hold);
	});
}

function consume({ knows, actor, chance }: Situation): Ask | null {
	const holds = knows.of(HOLDS);
	const own = holds.of(actor.name);
	const hold = pick(own, chance);
	if (hold === null) return null;
	const consumeRef = hold.consumeRef ?? holds.newReference("c");
	hold.consumeRef = consumeRef;
	return post(
		"consume",
		{ reservation_token: hold.token, external_ref: consumeRef },
		true,
		(_: Exchange, outcome: Outcome) => {
			if (outcome === "done") own.consumed.put(hold);
		},
	);
}

function reverse({ knows, actor, chance }: Situation): Ask | null {
	const own = knows.of(HOLDS).of(actor.name);
	const hold = chance.happens(CONTESTED) ? own.consumed.look(chance) : own.consumed.take(chance);
	if (hold === null || hold.consumeRef === null) return null;
	return post("consume/reverse", { external_ref: hold.consumeRef }, true, (_, outcome) => {
		if (outcome === "done") own.over.put(hold);
	});
}

/** Uses a hold that was left to expire, around its end or after it. */
function late({ knows, actor, chance, now }: Situation): Ask | null {
	const holds = knows.of(HOLDS);
	const own = holds.of(actor.name);
	const hold = own.left.take(chance, ({ endsAt }) => endsAt - now < LATE_MS);
	if (hold === null) return null;
	own.over.put(hold);
	if (chance.happens(0.5)) return post("release", { reservation_token: hold.token }, true);
	hold.consumeRef = holds.newReference("c");
	return post("consume", { reservation_token: hold.token, external_ref: hold.consumeRef }, true);
}

/** Requests an ended hold again: it must stay as it is. */
function again({ knows, actor, chance }: Situation): Ask | null {
	const hold = knows.of(HOLDS).of(actor.name).over.look(chance);
	if (hold === null) return null;
	if (hold.consumeRef !== null && chance.happens(0.5)) {
		return post("consume", { reservation_token: hold.token, external_ref: hold.consumeRef }, true);
	}
	return post("release", { reservation_token: hold.token }, true);
}

/** Requests another key's hold, which must appear not to exist. */
function stranger({ knows, actor, actors, chance }: Situation): Ask | null {
	const other = chance.pick(actors);
	if (other.name === actor.name) return null;
	const theirs = knows.of(HOLDS).of(other.name);
	const hold = chance.pick([theirs.open, theirs.consumed]).look(chance);
	if (hold === null) return null;
	const token = { reservation_token: hold.token };
	if (hold.consumeRef !== null && chance.happens(0.3)) {
		return post("consume/reverse", { external_ref: hold.consumeRef }, true);
	}
	return chance.happens(0.5)
		? post("release", token, true)
		: post("consume", { ...token, external_ref: hold.token }, true);
}

export const HOLD_OPERATIONS: readonly Operation[] = [
	{ name: "reserve", weight: 40, leastDone: 0.2, build: reserve },
	{ name: "replay", weight: 6, leastDone: 0.6, build: replay },
	{ name: "release", weight: 16, leastDone: 0.5, build: release },
	{ name: "consume", weight: 14, leastDone: 0.5, build: consume },
	{ name: "reverse", weight: 10, leastDone: 0.8, build: reverse },
	{ name: "late", weight: 4, leastDone: 0, build: late },
	{ name: "again", weight: 3, leastDone: 0.1, build: again },
	{ name: "stranger", weight: 4, leastDone: 0, build: stranger },
];
