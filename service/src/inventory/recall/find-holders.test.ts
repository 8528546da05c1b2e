import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recallInSteps, takeOutInSteps } from "../../../test/recall-steps.ts";
import { openTownShelf, type TownShelf } from "../../../test/town-shelf.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";

const origin = { actor: "operator:test", requestId: null };
const UNITS = 8;
const HELD = 5;

describe("The last holder of a bad lot", () => {
	let shelf: TownShelf;
	beforeEach(async () => {
		shelf = await openTownShelf();
		await shelf.receive("lot", UNITS, "2030-01-01");
		await shelf.reserve("H", HELD);
	});
	afterEach(() => shelf.close());

	const lot = async () => {
		const { rows } = await shelf.database.db.query<{ available: number; held: number; out: number }>(
			"select available, held, quarantined + destroyed as out from lot where fg_id = $1",
			[shelf.town.id("lot")],
		);
		return must(rows[0], "the lot");
	};
	/** Releases the hold after the first step, which took the free units. */
	const releaseOnce = () => {
		const left: number[] = [];
		return {
			left,
			onStep: async (state: { readonly left: number | null }) => {
				if (left.push(must(state.left, "a step")) > 1) return;
				const { acme: caller } = shelf.town.callers;
				const answer = await shelf.engine.execute({ kind: "release", origin, caller, token: shelf.town.id("H") });
				expect(isRefusal(answer)).toBe(false);
			},
		};
	};
	const takeOut = (kind: "quarantine" | "destroy", units: number | "all", onStep: (state: never) => unknown) =>
		takeOutInSteps(
			shelf.database.db,
			{ kind, origin, fgId: shelf.town.id("lot"), units, reason: "bad" },
			onStep as () => unknown,
		);

	it.each([
		["quarantine", "all"],
		["quarantine", UNITS],
		["destroy", "all"],
	] as const)("may end between two steps of a %s of %s: its units are taken like free ones", async (kind, units) => {
		const { left, onStep } = releaseOnce();
		expect(await takeOut(kind, units, onStep)).toMatchObject({ moved: UNITS, lost: 0, left: 0 });
		expect(left).toEqual([HELD, 0]);
		expect(await lot()).toEqual({ available: 0, held: 0, out: UNITS });
	});

	it("may end between two steps of a recall: its units are in quarantine already, and the recall ends", async () => {
		const { left, onStep } = releaseOnce();
		const command = { target: { fgId: shelf.town.id("lot") }, origin, reason: "bad" };
		expect(await recallInSteps(shelf.database.db, command, onStep)).toMatchObject({ lost: 0, left: 0 });
		expect(left).toEqual([HELD, 0]);
		expect(await lot()).toEqual({ available: 0, held: 0, out: UNITS });
	});

	it("is missed where units are held and nobody has them: nothing more is taken, and the operator is told", async () => {
		const { db } = shelf.database;
		const drop = () => db.query("delete from hold_part where reservation_token = $1", [shelf.town.id("H")]);
		await expect(takeOut("quarantine", "all", drop)).rejects.toThrow(/are held, but no hold has them/);
		const command = { target: { fgId: shelf.town.id("lot") }, origin, reason: "bad" };
		await expect(recallInSteps(db, command)).rejects.toThrow(/are held, but no hold has them/);
		expect(await lot()).toEqual({ available: 0, held: HELD, out: UNITS - HELD });
	});
});
