import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import type { Moved } from "../stock/move.ts";
import type { StockRules } from "../stock/read-stock-around.ts";
import { decideTakeOut } from "./quarantine.ts";
import { decideRestore, type Restored } from "./restore.ts";
import type { AskedRestore } from "./restore-units.ts";
import { selectHoldersOf, selectLosersOf, selectWhoLacks } from "./sql.ts";
import { added } from "./step.ts";
import type { AskedTakeOut } from "./take-out.ts";
import { visitHolders } from "./visit-holders.ts";

/*
 * Previews of changes of a lot: each change is decided on a snapshot by the real rules and not written. Blocks no other
 * transaction.
 */

const ORIGIN = { actor: "system:preview", requestId: null } as const;
const EVERY_HOLDER = Number.MAX_SAFE_INTEGER;

type RefusedMove = Refusal<"not_found" | "invalid_input">;

/** The result that `takeOut` would have now. */
export const previewTakeOut = (db: Database, rules: StockRules, asked: AskedTakeOut): Promise<Moved | RefusedMove> =>
	snapshot(db, async (tx) => {
		const { fgId } = asked;
		const select = asked.units === "all" ? selectHoldersOf : selectLosersOf;
		const tokens = (await select(tx, [plainArray([fgId]), EVERY_HOLDER])).map(([token]) => token);
		let soFar = { moved: 0, replaced: 0, lost: 0 };
		let { units } = asked;
		let refused: RefusedMove | null = null;
		await visitHolders(tx, rules, { fgIds: [fgId], tokens }, (book, holders) => {
			const step = decideTakeOut(book, { ...asked, units, origin: ORIGIN, holders });
			if (isRefusal(step)) {
				refused = step;
				return false;
			}
			soFar = added(soFar, step);
			if (units !== "all") units = step.left;
			return step.left > 0;
		});
		return refused ?? { fgId, ...soFar };
	});

/** The result that `restoreUnits` would have now. */
export const previewRestore = (db: Database, rules: StockRules, asked: AskedRestore): Promise<Restored | RefusedMove> =>
	snapshot(db, async (tx) => {
		const { fgId, reason, unlessRecalled = false } = asked;
		const tokens = (await selectWhoLacks(tx, [fgId])).map(([token]) => token);
		let [moved, givenBack] = [0, 0];
		let { units } = asked;
		let recallEnded = false;
		let refused: RefusedMove | null = null;
		await visitHolders(tx, rules, { fgIds: [fgId], tokens }, (book, holders, isLast) => {
			const rest = isLast ? "free" : "waits";
			const asSoFar = { fgId, units, reason, unlessRecalled: unlessRecalled && !recallEnded };
			const step = decideRestore(book, { ...asSoFar, origin: ORIGIN, holders, rest });
			if (isRefusal(step)) {
				refused = step;
				return false;
			}
			moved += step.moved;
			givenBack += step.givenBack;
			recallEnded ||= step.recallEnded;
			units = step.left;
			return step.left > 0;
		});
		return refused ?? { fgId, moved, replaced: 0, lost: 0, givenBack, recallEnded, left: 0 };
	});
