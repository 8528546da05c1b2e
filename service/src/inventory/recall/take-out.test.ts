import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeOutInSteps } from "../../../test/recall-steps.ts";
import { openTownShelf, type TownShelf } from "../../../test/town-shelf.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { verify } from "../../upkeep/ledger/verify.ts";
import { HOLDERS_PER_STEP } from "./find-holders.ts";
import type { TakeOutState } from "./take-out.ts";

const origin = { actor: "operator:test", requestId: null };
/** Three steps of holders, the last one not full. */
const HOLDS = 2 * HOLDERS_PER_STEP + 50;
const FREE = 7;

describe("Units of a lot that many holds have", () => {
	let shelf: TownShelf;
	beforeEach(async () => {
		shelf = await openTownShelf();
		await shelf.receive("lot", HOLDS + FREE, "2030-01-01");
		await Promise.all(Array.from({ length: HOLDS }, (_, n) => shelf.reserve(`H${n}`)));
		await shelf.receive("other", HOLDS - 30, "2031-01-01");
	});
	afterEach(() => shelf.close());

	const release = (name: string) =>
		shelf.engine.execute({ kind: "release", origin, caller: shelf.town.callers.acme, token: shelf.town.id(name) });
	const balance = async () => {
		const { rows } = await shelf.database.db.query<{ available: number; held: number; quarantined: number }>(
			"select available, held, quarantined from lot where fg_id = $1",
			[shelf.town.id("lot")],
		);
		return must(rows[0], "lot");
	};
	const quarantine = (units: number | "all", onStep?: (state: TakeOutState) => unknown) =>
		takeOutInSteps(
			shelf.database.db,
			{ kind: "quarantine", origin, fgId: shelf.town.id("lot"), units, reason: "recall" },
			onStep,
		);

	it("are all taken, free ones first, in steps that each are committed, and what each step did adds up", async () => {
		const seen: number[] = [];
		const inDatabase: Promise<number>[] = [];
		const taken = await quarantine("all", ({ moved }) => {
			seen.push(moved);
			inDatabase.push(balance().then(({ quarantined }) => quarantined));
		});
		expect(taken).toMatchObject({ fgId: shelf.town.id("lot"), moved: HOLDS + FREE, replaced: HOLDS - 30, lost: 30 });
		expect(seen).toEqual([FREE, FREE + HOLDERS_PER_STEP, FREE + 2 * HOLDERS_PER_STEP, FREE + HOLDS]);
		for (const [step, quarantined] of (await Promise.all(inDatabase)).entries()) {
			expect(quarantined).toBeGreaterThanOrEqual(must(seen[step], "a step")); // it was on disk when it was acknowledged
		}
		expect(await balance()).toEqual({ available: 0, held: 0, quarantined: HOLDS + FREE });
		expect((await verify(shelf.database.db)).differences.map(({ rule }) => rule)).toEqual(["hold-without-key"]); // a town has none
	});

	it("leave partners their turn between two steps", async () => {
		const order: string[] = [];
		await quarantine("all", async ({ left }) => {
			if (order.length === 0) order.push(isRefusal(await release("H0")) ? "refused" : "released");
			order.push(`${left} left`);
		});
		expect(order.slice(0, 2)).toEqual(["released", `${HOLDS} left`]);
		expect(order.at(-1)).toBe("0 left");
		expect(await balance()).toEqual({ available: 0, held: 0, quarantined: HOLDS + FREE });
	});

	it("are taken from the youngest holds when not all are wanted, and no more of them than were asked for", async () => {
		await shelf.database.db.query(
			"update hold set created_at = created_at - interval '1 hour' where reservation_token = $1",
			[shelf.town.id("H7")],
		);
		const wanted = FREE + HOLDS - 1;
		expect(await quarantine(wanted)).toMatchObject({ moved: wanted, replaced: HOLDS - 30, lost: 29 });
		const { rows } = await shelf.database.db.query(
			"select reservation_token as token from hold_part where fg_id = $1 and own_state is null",
			[shelf.town.id("lot")],
		);
		expect(rows).toEqual([{ token: shelf.town.id("H7") }]);
	});

	it("stay taken when it is interrupted: it says how far it came, and the same again takes the rest", async () => {
		const seen: TakeOutState[] = [];
		const interrupted = await quarantine("all", (state) => {
			if (seen.push(state) === 2) throw new Error("pulled the plug");
		}).catch((error: unknown) => error);
		expect(interrupted).toMatchObject({ message: "pulled the plug" });
		const { moved, left } = must(seen[1], "a second step");
		expect({ moved, left }).toEqual({ moved: FREE + HOLDERS_PER_STEP, left: HOLDS - HOLDERS_PER_STEP });
		expect((await balance()).quarantined).toBe(moved);
		expect(await quarantine(must(left, "units left"))).toMatchObject({ moved: left });
		expect(await balance()).toEqual({ available: 0, held: 0, quarantined: HOLDS + FREE });
	});

	it("are refused as a whole when there are not so many", async () => {
		expect(await quarantine(HOLDS + FREE + 1)).toMatchObject({ refusal: "invalid_input" });
		expect(await balance()).toEqual({ available: FREE, held: HOLDS, quarantined: 0 });
	});
});
