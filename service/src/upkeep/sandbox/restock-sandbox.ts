import { SANDBOX_MODEL_POOL_ID } from "../../glossary.ts";
import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { assert, must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import { planByIndex } from "../../ground/pg/plan-by-index.ts";
import { changeCatalog } from "../../inventory/catalog/change-catalog.ts";
import { putFormulas } from "../../inventory/catalog/put-formulas.ts";
import { putProducts } from "../../inventory/catalog/put-products.ts";
import { putSkus } from "../../inventory/catalog/put-skus.ts";
import type { STOCK_COMMANDS } from "../../inventory/stock/commands.ts";
import type { CorrectCommand } from "../../inventory/stock/correct.ts";
import type { ReceiveCommand } from "../../inventory/stock/receive.ts";
import { lockSandboxLots, selectFormulaIds, selectModelLots } from "./restock-sql.ts";
import { SANDBOX_BATCH, sandboxCatalog, TEST_FORMULAS } from "./test-skus.ts";
import { type PlannedRemedy, planRestock, type WantedStock } from "./wanted.ts";

export interface SandboxSettings {
	/** Receives and corrects the lots. */
	readonly executeIn: ExecutesIn<typeof STOCK_COMMANDS>;
	/** IANA name; decides the current day. */
	readonly timeZone: string;
}

export interface Restocked {
	/** False if no restock was due. */
	readonly done: boolean;
	readonly received_units: number;
	readonly removed_units: number;
}

type Origin = CorrectCommand["origin"];
const SYSTEM: Origin = { actor: "system:restock", requestId: null };

export interface RestockOptions {
	/** Who requested it, for the ledger. */
	readonly origin?: Origin;
	/** Collects the writes that use numbers of lists; without it they are sent immediately. */
	readonly numbered?: NumberedWrite[];
}

/**
 * Restores the free stock of these sandboxes, in the caller's transaction. The model gets no stock; its restock renews
 * the test SKUs of settlements, section 10, which are otherwise only created if they are missing.
 */
export async function restockSandboxIn(
	tx: Query,
	settings: SandboxSettings,
	poolIds: readonly number[],
	{ origin = SYSTEM, numbered }: RestockOptions = {},
): Promise<Restocked> {
	await planByIndex(tx);
	const wanted = await findWantedStock(tx, poolIds.includes(SANDBOX_MODEL_POOL_ID));
	const sandboxes = poolIds.filter((poolId) => poolId !== SANDBOX_MODEL_POOL_ID);
	const formulaIds = [...new Set(wanted.map(({ formulaId }) => formulaId))];
	const planned = planRestock(sandboxes, wanted, await lockSandboxLots(tx, formulaIds, sandboxes));
	const commands = planned.map((one) => toCommand(one, origin));
	const answers = commands.length === 0 ? [] : await settings.executeIn(tx, commands, undefined, numbered);
	for (const answer of answers) assert(!isRefusal(answer), `restock refused: ${JSON.stringify(answer)}`);
	const sum = (units: (planned: PlannedRemedy) => number): number =>
		planned.reduce((total, one) => total + units(one), 0);
	return {
		done: true,
		received_units: sum(({ remedy }) => ("receive" in remedy ? remedy.receive : 0)),
		removed_units: sum(({ remedy }) => ("correct" in remedy ? -remedy.correct : 0)),
	};
}

/**
 * The stock of the test SKUs and that of the operator's lots in the model. A restock that need not write the catalogue
 * does not lock it: so partners' restocks wait neither for an import nor for each other.
 */
async function findWantedStock(tx: Query, isRenewal: boolean): Promise<WantedStock[]> {
	const codes = Object.keys(TEST_FORMULAS);
	const known = await selectFormulaIds(tx, codes);
	const formulaIds = isRenewal || known.size < codes.length ? await putTestSkus(tx) : known;
	const own = Object.entries(TEST_FORMULAS).map(([code, { nominal, expiresOn }]) => ({
		formulaId: must(formulaIds.get(code), code),
		batchNumber: SANDBOX_BATCH,
		anyBatch: true,
		expiresOn,
		receivedOn: null,
		nominal,
	}));
	const model = await selectModelLots(tx, codes);
	return [...own, ...model.map((lot) => ({ ...lot, anyBatch: false }))];
}

/** Creates the test SKUs, or brings them up to date. Returns the ids of their formulas by code. */
const putTestSkus = (tx: Query): Promise<ReadonlyMap<string, string>> =>
	changeCatalog(tx, async (change) => {
		const { formulas, products, skus } = sandboxCatalog();
		const ids = await putFormulas(change, formulas);
		await putProducts(change, products);
		await putSkus(change, skus);
		return ids;
	});

function toCommand(
	{ poolId, wanted: { formulaId, batchNumber, expiresOn, receivedOn }, remedy }: PlannedRemedy,
	origin: Origin,
): CorrectCommand | ReceiveCommand {
	if ("fgId" in remedy) {
		return { kind: "correct", origin, fgId: remedy.fgId, units: remedy.correct, reason: "restock" };
	}
	const lot = { formulaId, poolId, batchNumber, expiresOn, receivedOn };
	return { kind: "receive", origin, newFgId: newId(), ...lot, units: remedy.receive };
}
