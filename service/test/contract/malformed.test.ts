import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PARTNER_OPERATIONS } from "../../src/assembly/surfaces.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { checkReply } from "../check-reply.ts";
import { sizeOr } from "../sizes.ts";
import { type Arsenal, nextShot, type Shot } from "./hostile/requests.ts";
import type { Known } from "./hostile/values.ts";
import { Wire, type WireReply } from "./hostile/wire.ts";
import { createRandom, type Random } from "./random.ts";
import { neverIssued, openWorld, type World } from "./world.ts";

const REQUESTS = sizeOr(200_000, 1_000);
/** Number of concurrent connections. */
const WIRES = 16;
/** A line with one of these SKUs is never granted to a live key. */
const FRUITLESS_SKUS = ["FEE", "ARCHIVED", "NOPE", "SBX-PLENTY", "SBX-RETRY"];
const SEED = 20_260_906;
/** Tokens, references and cursors kept of each kind. */
const REMEMBERED = 500;

let world: World;
let arsenal: Arsenal;

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
		formulas: [
			{ code: "F1", name: "F1", status: "active" },
			{ code: "F2", name: "F2", status: "active" },
			{ code: "OLD", name: "Old", status: "archived" },
		],
		skus: [
			{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F1", per_kit: 1 }] },
			{ sku: "SIX", name: "Six", kind: "single", components: [{ formula: "F2", per_kit: 6 }] },
			{
				sku: "KIT",
				name: "Kit",
				kind: "kit",
				components: [
					{ formula: "F1", per_kit: 2 },
					{ formula: "F2", per_kit: 3 },
				],
			},
			{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
			{ sku: "ARCHIVED", name: "Archived", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
			{ sku: "é😀 &/?#%", name: "Odd", kind: "single", components: [{ formula: "F1", per_kit: 1 }] },
		],
		lots: ["F1", "F2"].flatMap((formula) =>
			["ACME", "BOLT", null].flatMap((brand_code) =>
				[7, 400, 100_000].map((units) => ({
					formula,
					brand_code,
					batch_number: `${formula}-${brand_code}-${units}`,
					units,
				})),
			),
		),
		demand: [{ formula: "F1", brand_code: "ACME", units: 50, reference: "PO" }],
		buffers: [{ formula: "F2", brand_code: null, units: 20 }],
	});
	const known: Known = {
		skus: [...Array.from({ length: 6 }, () => ["ONE", "SIX", "KIT", "é😀 &/?#%"]).flat(), ...FRUITLESS_SKUS],
		brands: [...Array.from({ length: 9 }, () => "ACME"), "BOLT", "SANDBOX", "NOPE"],
		tokens: [neverIssued(), "nonsense"],
		references: ["ref"],
		cursors: ["x"],
	};
	const keys = [
		await world.key({ brand: "ACME" }),
		await world.key({ brand: "ACME", maxHeldUnits: 5_000 }),
		await world.key({ brand: "BOLT", sharedPool: false }),
		await world.key(),
		await world.key({ sharedPool: false }),
		await world.key({ brand: "SANDBOX" }),
		await world.key({ brand: "ACME", scopes: ["atp.check"] }),
	];
	arsenal = { operations: PARTNER_OPERATIONS, tokens: keys.map(({ token }) => token), known };
});
afterAll(() => world.stop());

/** Values from replies are used in later requests, so that these pass more checks. */
function learn({ known }: Arsenal, random: Random, text: string): void {
	const keep = (list: string[], found: string | undefined): void => {
		if (found === undefined) return;
		if (list.length < REMEMBERED) list.push(found);
		else list[random.below(REMEMBERED)] = found;
	};
	keep(known.tokens, /"reservation_token":"([^"]+)"/.exec(text)?.[1]);
	keep(known.references, /"external_ref":"([^"\\]+)"/.exec(text)?.[1]);
	keep(known.cursors, /"next_cursor":"([^"]+)"/.exec(text)?.[1]);
}

/** Required of every reply, whatever was sent: no 5xx, and a match with the OpenAPI document. */
function judge(shot: Pick<Shot, "method" | "target">, { status, headers, text }: WireReply): void {
	if (status >= 500) throw new Error(`it answered ${status}`);
	// a browser gets a page if the path has no operation
	if (headers["content-type"]?.startsWith("text/html") && !shot.target.startsWith("/api/")) return;
	const body = text === "" ? null : JSON.parse(text);
	// a fragment does not belong in a request and is ignored, as is a host (RFC 9112, section 3.2.2)
	const path = shot.target.replace(/^https?:\/\/[^/]+/, "").split("#", 1)[0] ?? "";
	checkReply({ method: shot.method, path, status, headers, body });
}

/** Invalid HTTP: however it is understood, each reply is of a kind that such requests get. */
function judgeLoosely(shot: Shot, replies: readonly WireReply[]): void {
	for (const [index, reply] of replies.entries()) {
		try {
			judge(index === 0 ? shot : { method: "?", target: "?" }, reply);
		} catch (error) {
			// the first line itself may be damaged: then the reply is the envelope for an unreadable request
			if (reply.status >= 500 || reply.status < 400) throw error;
			judge({ method: shot.method === "HEAD" ? "HEAD" : "?", target: "?" }, reply);
		}
	}
}

async function fire(wire: Wire, shot: Shot): Promise<WireReply[]> {
	if (!shot.framed) {
		const replies = await wire.askRudely(shot.bytes, shot.method);
		judgeLoosely(shot, replies);
		return replies;
	}
	const reply = await wire.ask(shot.bytes, shot.method);
	judge(shot, reply);
	return [reply];
}

const REACHED = [200, 201, 304, 400, 401, 403, 404, 405, 409, 410, 413, 422, 429, 431];
/** Maximum number of further requests, until the rare statuses are reached too. */
const MOST_MORE = 40_000;

describe("Malformed input", () => {
	it(`${REQUESTS} hostile requests: no 5xx, no reply outside the OpenAPI document, the service alive and the books in balance`, async () => {
		const statuses = new Map<number, number>();
		const isComplete = (): boolean => REACHED.every((status) => statuses.has(status));
		let left = REQUESTS;
		const attack = async (seed: number): Promise<void> => {
			const random = createRandom(seed);
			const wire = new Wire(world.port);
			while (left-- > 0 || (left > -MOST_MORE && !isComplete())) {
				const shot = nextShot(random, arsenal);
				const replies = await fire(wire, shot).catch((cause: Error) => {
					const sent = shot.bytes.toString("latin1", 0, 1_500).replace(/(.)\1{99,}/g, "$1…");
					throw new Error(`${cause.message}\nsent (seed ${seed}): ${JSON.stringify(sent)}`, { cause });
				});
				for (const { status, text } of replies) {
					statuses.set(status, (statuses.get(status) ?? 0) + 1);
					learn(arsenal, random, text);
				}
			}
			wire.close();
		};
		await Promise.all(Array.from({ length: WIRES }, (_, index) => attack(SEED + index)));
		// the attack was not stopped by the first checks: it reached every kind of answer
		for (const status of REACHED) expect([status, statuses.has(status)]).toEqual([status, true]);
		const alive = await world.call(Check, arsenal.tokens[0] as string, { items: [{ sku: "ONE", qty: 1 }] });
		expect(alive.data.items[0]?.known).toBe(true);
		expect(await world.audit()).toEqual([]);
	}, 1_800_000);
});
