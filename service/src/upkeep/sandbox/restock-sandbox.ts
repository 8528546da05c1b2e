import { SANDBOX_POOL_ID } from "../../glossary.ts";
import { assert, must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConflict } from "../../ground/pg/faults.ts";
import { planByIndex } from "../../ground/pg/plan-by-index.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { changeCatalog } from "../../inventory/catalog/change-catalog.ts";
import { putFormulas } from "../../inventory/catalog/put-formulas.ts";
import { putProducts } from "../../inventory/catalog/put-products.ts";
import { putSkus } from "../../inventory/catalog/put-skus.ts";
import type { CorrectCommand } from "../../inventory/stock/correct.ts";
import type { ReceiveCommand } from "../../inventory/stock/receive.ts";
import type { ExecuteIn } from "../import/receive-lots.ts";
import { claimRestock, lockTestLots } from "./sql.ts";
import { type Remedy, remediesFor, SANDBOX_BATCH, sandboxCatalog, TEST_FORMULAS } from "./test-skus.ts";

export interface SandboxSettings {
	/** Runs commands of the engine, which receives and corrects the lots. */
	readonly executeIn: ExecuteIn;
	/** IANA name; decides the current day. */
	readonly timeZone: string;
}

export interface Restocked {
	/** False if no restock was due. */
	readonly done: boolean;
	readonly received_units: number;
	readonly removed_units: number;
}

/** Retries after a conflict with another transaction. */
const MAX_CONFLICTS = 3;

type Origin = CorrectCommand["origin"];
const SYSTEM: Origin = { actor: "system:restock", requestId: null };

/**
 * Creates the test SKUs of settlements, section 10, and restores their free stock to the nominal counts. Never touches
 * holds. With `onlyIfDue`, at most once a day in the operator's time zone, by whichever node is first.
 */
export async function restockSandbox(
	db: Database,
	settings: SandboxSettings,
	{ onlyIfDue = false }: { readonly onlyIfDue?: boolean } = {},
): Promise<Restocked> {
	for (let conflicts = 1; ; conflicts++) {
		try {
			return await transaction(db, async (tx) => {
				const done = await claimRestock(tx, settings.timeZone, onlyIfDue);
				return done ? await restockIn(tx, settings) : { done, received_units: 0, removed_units: 0 };
			});
		} catch (error) {
			if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
		}
	}
}

/** The same in the caller's transaction. `origin`: who requested it, for the ledger. */
export async function restockIn(tx: Query, settings: SandboxSettings, origin: Origin = SYSTEM): Promise<Restocked> {
	await planByIndex(tx);
	const formulaIds = await changeCatalog(tx, async (change) => {
		const { formulas, products, skus } = sandboxCatalog();
		const ids = await putFormulas(change, formulas);
		await putProducts(change, products);
		await putSkus(change, skus);
		return ids;
	});
	const lots = await lockTestLots(tx, [...formulaIds.values()], SANDBOX_POOL_ID);
	const remedies = Object.entries(TEST_FORMULAS).flatMap(([code, { nominal, expiresOn }]) => {
		const formulaId = must(formulaIds.get(code), code);
		const own = lots.filter((lot) => lot.formula_id === formulaId);
		const test = own.map(({ fg_id, batch_number, free }) => ({ fgId: fg_id, batchNumber: batch_number, free }));
		return remediesFor(nominal, test).map((remedy) => ({
			remedy,
			command: toCommand(remedy, formulaId, expiresOn, origin),
		}));
	});
	const commands = remedies.map(({ command }) => command);
	const answers = await settings.executeIn(tx, commands);
	for (const answer of answers) assert(!isRefusal(answer), `restock refused: ${JSON.stringify(answer)}`);
	const sum = (units: (remedy: Remedy) => number): number =>
		remedies.reduce((total, { remedy }) => total + units(remedy), 0);
	return {
		done: true,
		received_units: sum((remedy) => ("receive" in remedy ? remedy.receive : 0)),
		removed_units: sum((remedy) => ("correct" in remedy ? -remedy.correct : 0)),
	};
}

function toCommand(
	remedy: Remedy,
	formulaId: string,
	expiresOn: string | null,
	origin: Origin,
): CorrectCommand | ReceiveCommand {
	if ("fgId" in remedy) {
		return { kind: "correct", origin, fgId: remedy.fgId, units: remedy.correct, reason: "restock" };
	}
	return {
		kind: "receive",
		origin,
		newFgId: newId(),
		formulaId,
		poolId: SANDBOX_POOL_ID,
		batchNumber: SANDBOX_BATCH,
		expiresOn,
		receivedOn: null,
		units: remedy.receive,
	};
}
