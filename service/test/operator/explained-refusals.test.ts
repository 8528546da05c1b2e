import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { ReadHold, Reserve } from "../../src/inventory/holds/contract.ts";
import { GetOrder } from "../../src/inventory/orders/contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { PRESETS } from "../../src/partners/keys/scopes.ts";
import { ExplainCount } from "../../src/upkeep/ledger/admin-contract.ts";
import type { Explanation } from "../../src/upkeep/ledger/explain.ts";
import { GetRequest } from "../../src/upkeep/traffic/admin-contract.ts";
import { createRandom, type Random } from "../contract/random.ts";
import { PLAYS, type Played, type Stage, stageOf } from "../contract/refusal-plays.ts";
import { openSandboxWorld, playerOf } from "../contract/sandbox-world.ts";
import { unique, type World } from "../contract/world.ts";
import { executeIn } from "../execute-in.ts";
import { type Asked, type Operated, operatePatiently } from "../operate.ts";
import { until } from "../processes/child.ts";
import { restockSandboxes } from "../restock-sandboxes.ts";
import { sizeOr } from "../sizes.ts";

/*
 * Refusals of every code that a sandbox key can be answered, with shortages of random carts among them, in random
 * order. When all are made and the world has changed, what the log says about each is compared with what others say
 * about its instant: the counts with `explain --at`, and states and times with the holds and orders themselves.
 */

const REFUSALS = sizeOr(1_000, 60);
/** SKUs of random carts, which run short one after the other. */
const SHORT = ["SBX-LOW", "SBX-OUT", "SBX-EXPIRED", "SBX-KIT", "SBX-KIT-SHORT"];

let world: World;
let token: string;
let pk: string;
let stage: Stage;

beforeAll(async () => {
	world = await openSandboxWorld();
	const own = { brand: "SANDBOX", partner: world.partner(), scopes: PRESETS.self_ship };
	({ token, pk } = await world.key(own));
	stage = stageOf(world, token, playerOf(world, (await world.key(own)).token));
});
afterAll(() => world.stop());

interface Refused {
	readonly answer: string;
	readonly requestId: string;
}

const refusedBy = (answer: string, { headers }: Played): Refused => ({
	answer,
	requestId: String(headers["x-request-id"]),
});

/** A cart that asks for more than there is. Carts that were granted keep their units. */
async function randomShortage(random: Random): Promise<Refused> {
	for (;;) {
		const items = Array.from({ length: 1 + random.below(3) }, () => ({
			sku: must(SHORT[random.below(SHORT.length)], "a SKU"),
			qty: 1 + random.below(4),
		}));
		const answer = await world.call(Reserve, token, { items, external_ref: unique("short") });
		if (answer.status !== 201) return refusedBy("409 no_inventory", answer);
	}
}

async function makeRefusals(random: Random): Promise<Refused[]> {
	const refused: Refused[] = [];
	const plays = Object.entries(PLAYS);
	for (let played = 0; refused.length < REFUSALS; played++) {
		// recalls and carts have taken what a play needs
		await restockSandboxes(world.db, { timeZone: "UTC", executeIn });
		const [answer, play] = must(plays[played < plays.length ? played : random.below(plays.length)], "a play");
		const made = await play(stage);
		expect(made.verdict).toBe(answer);
		refused.push(refusedBy(answer, made));
		refused.push(await randomShortage(random));
	}
	return refused;
}

interface Explained {
	readonly operation: string;
	readonly status: number;
	readonly code: string;
	readonly key: string | null;
	readonly message: string;
	readonly about: readonly string[];
	readonly explanation: readonly string[];
	readonly counts: readonly Explanation[];
}

const ask = (operation: Operation, asked: Asked): Promise<Operated> =>
	operatePatiently({ socket: world.deps.config.adminSocket }, operation, asked);
const explained = ({ requestId }: Refused): Promise<Explained> =>
	until("the request to be logged", async () => {
		const { status, json } = await ask(GetRequest, { params: { request_id: requestId } });
		return status === 200 && json.data;
	});

/** The counts are those of `explain --at`, and each number in the sentences is one of them. */
async function compareCounts({ counts, explanation }: Explained): Promise<void> {
	expect(counts.length).toBeGreaterThan(0);
	for (const count of counts) {
		const params = { sku: count.sku };
		const { status, json } = await ask(ExplainCount, { params, query: `?key=${pk}&at=${count.at}` });
		expect([status, json.error]).toEqual([200, undefined]);
		expect(count).toEqual(json.data);
		const { counts: figures, components } = json.data as Explanation;
		expect(explanation.join("\n")).toContain(`At ${count.at} ${figures.atp_qty} of "${count.sku}" could be promised`);
		for (const { formula, pools } of components) {
			for (const { available_units, promised_units, lots } of pools) {
				const sum = (of: (lot: (typeof lots)[number]) => number): number =>
					lots.reduce((total, lot) => total + of(lot), 0);
				const parts = [
					[available_units, "available"],
					[promised_units, "promised elsewhere"],
					[sum(({ held, lapsed_units }) => held - lapsed_units), "in holds"],
					[sum(({ allocated }) => allocated), "in orders"],
					[sum(({ quarantined }) => quarantined), "in quarantine"],
					[sum((lot) => (lot.in_date ? 0 : lot.available)), "out of date"],
				] as const;
				const said = parts.filter(([units], at) => at === 0 || units > 0).map(([units, what]) => `${units} ${what}`);
				expect(explanation).toContain(`${formula} in the pool of SANDBOX: ${said.join(", ")} (units).`);
			}
		}
	}
}

const HOLD = /^The hold (\S+) of (this|another) key(?:, \S+)? was (\S+?)(?: since (\S+))?\.$/;
const ORDER = /^The order (\S+) of (this|another) key(?:, \S+)? was by then: (.+)\. It is now (\w+)\.$/;

/** States and times are those that the holds and orders say themselves. Returns how many sentences were compared. */
async function compareThings({ explanation }: Explained): Promise<number> {
	let compared = 0;
	for (const sentence of explanation) {
		const [, hold, whose, state, since] = HOLD.exec(sentence) ?? [];
		if (hold !== undefined && whose === "this") {
			const { data } = await world.call(ReadHold, token, undefined, { params: { reservation_token: hold } });
			const ended = data.status === "expired" ? data.expires_at : data.ended_at;
			if (state !== "active") expect([sentence, state, since]).toEqual([sentence, data.status, ended]);
			compared++;
		}
		const [, order, ours, steps = "", now] = ORDER.exec(sentence) ?? [];
		if (order !== undefined && ours === "this") {
			const { data } = await world.call(GetOrder, token, undefined, { params: { ref: order } });
			const known = {
				placed: data.placed_at,
				picked: data.picked_at,
				shipped: data.shipped_at,
				cancelled: data.cancelled_at,
			};
			expect([sentence, now]).toEqual([sentence, data.status]);
			for (const step of steps.split(", ")) {
				const [what = "", time] = step.split(" ");
				expect([sentence, known[what as keyof typeof known]]).toEqual([sentence, time]);
			}
			compared++;
		}
	}
	return compared;
}

/** The codes whose explanation gives the state of a hold or an order of the key at that instant. */
const OF_THINGS =
	/gone|kit_incomplete|not_reversible|not_consumed|order_not_cancellable|reservation_(?:empty|expired|gone|used)|wrong_state/;

describe("The explanation of a refusal", () => {
	it(`of every code has the figures of its instant, after the fact, on ${REFUSALS} refusals`, async () => {
		const refused = await makeRefusals(createRandom(7));
		expect(new Set(refused.map(({ answer }) => answer))).toEqual(new Set(Object.keys(PLAYS)));
		await restockSandboxes(world.db, { timeZone: "UTC", executeIn });
		let counted = 0;
		for (const one of refused) {
			const request = await explained(one);
			expect([one.answer, request.explanation[0]]).toEqual([`${request.status} ${request.code}`, request.message]);
			if (request.code === "no_inventory") {
				counted++;
				await compareCounts(request);
			} else expect([one.answer, request.counts]).toEqual([one.answer, []]);
			const compared = await compareThings(request);
			if (OF_THINGS.test(one.answer))
				expect([one.answer, request.explanation, compared > 0]).toEqual([one.answer, request.explanation, true]);
			if (request.code === "rate_limited") {
				expect(request.explanation.slice(1)).toEqual([
					"The key may make 60 requests in 60 seconds.",
					"In the 60 seconds up to this request the log has 61 of them: 61 reserve.",
				]);
			}
		}
		expect(counted).toBeGreaterThan(refused.length / 3);
	}, 3_600_000);
});
