import type { Static } from "typebox";
import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { assert, must } from "../../ground/lib/assert.ts";
import { inTurns } from "../../ground/lib/paced.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import { planByIndex } from "../../ground/pg/plan-by-index.ts";
import { changeCatalog } from "../../inventory/catalog/change-catalog.ts";
import type { STOCK_COMMANDS } from "../../inventory/stock/commands.ts";
import { findRecalledBatches } from "../../inventory/stock/find-lot.ts";
import type { Received } from "../../inventory/stock/receive.ts";
import { setBuffers } from "../../inventory/stock/set-buffers.ts";
import { setDemand } from "../../inventory/stock/set-demand.ts";
import { type MintedKey, type Minting, mintKey } from "../../partners/keys/mint-key.ts";
import { putPartners } from "../../partners/keys/put-partners.ts";
import type { Report } from "./admin-contract.ts";
import { changesOf } from "./changes.ts";
import { KINDS, type Problem, pointAt, type World } from "./entries.ts";
import { type Existing, keyOf, type Plan, planImport } from "./plan.ts";
import { readExisting } from "./read-existing.ts";
import { receiveLots } from "./receive-lots.ts";
import { ImportRefused } from "./refused.ts";
import { type Advance, inChunks, touched, writeCatalog } from "./write-catalog.ts";

export interface ImportSettings extends Minting {
	/** Runs commands of the engine, which receives the lots. */
	readonly executeIn: ExecutesIn<typeof STOCK_COMMANDS>;
	/** Who imports, `operator:<name>`, for the ledger. */
	readonly actor: string;
	/** The request that began the import, for the ledger. */
	readonly requestId?: string;
	/** Accept batch numbers that differ only slightly from others. */
	readonly newBatches?: boolean;
}

/** The output of `import --json` (settlements, section 11). */
export type ImportReport = Static<typeof Report>;

/**
 * Applies the world in the caller's transaction. @throws ImportRefused naming every problem; the caller then rolls
 * back.
 */
export async function applyWorld(
	tx: Query,
	settings: ImportSettings,
	world: World,
	advance: Advance = () => undefined,
): Promise<ImportReport> {
	await planByIndex(tx);
	const { plan, existing, ids } = await changeCatalog(tx, async (change) => {
		// imports run one at a time, so the comparison stays valid
		const compared = await compare(tx, settings, world, []);
		return { ...compared, ids: await writeCatalog(change, compared.plan, compared.existing, advance) };
	});
	await putPartners(
		tx,
		plan.partners.created.map(({ entry }) => entry.name),
	);
	// First the slow work that blocks nobody, then keys; lots that partners use are locked last and as briefly as
	// possible.
	const numbered: NumberedWrite[] = [];
	const receiving = { ...settings, numbered };
	const made = await receiveLots(tx, receiving, plan.lots.created, ids, advance);
	await writePromised(tx, plan, advance);
	const minted = await writeKeys(tx, { ...settings, numbered }, plan, advance);
	const more = await receiveLots(tx, receiving, inLockOrder(plan.lots.changed, existing), ids, advance);
	for (const write of numbered) await write(tx); // blocks other writers of the same list until the commit
	const received = new Map([...made, ...more]);
	const quarantined = new Set([...received].filter(([, lot]) => lot.quarantined).map(([key]) => key));
	return report(world, plan, existing, quarantined, { formulas: ids.formulas, lots: received, keys: minted });
}

/**
 * Returns what applyWorld would do. Locks and changes nothing. @throws ImportRefused naming every problem, those of
 * reading (`unread`) first
 */
export async function previewWorld(
	tx: Query,
	settings: CompareSettings,
	world: World,
	unread: readonly Problem[] = [],
): Promise<ImportReport> {
	await planByIndex(tx);
	const { plan, existing } = await compare(tx, settings, world, unread);
	return report(world, plan, existing, await quarantinedLots(tx, plan, existing), null);
}

/** The report of one of these, or the problems of the input as a refusal. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal<"invalid_input">> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ImportRefused)) throw error;
		return { ...refuse("invalid_input", error.message), problems: error.problems };
	}
}

/**
 * Lots, by natural key, with a recalled lot of the same batch number: units received for them now would go into
 * quarantine.
 */
async function quarantinedLots(tx: Query, { lots }: Plan, { formulas }: Existing): Promise<ReadonlySet<string>> {
	const batches = [...lots.created, ...lots.changed].flatMap(({ entry }) => {
		const formulaId = formulas.get(entry.formula)?.formulaId;
		return formulaId === undefined ? [] : [{ key: keyOf("lots", entry), formulaId, batchNumber: entry.batchNumber }];
	});
	const recalled = await findRecalledBatches(tx, batches);
	return new Set(batches.filter((batch) => recalled.has(batch)).map(({ key }) => key));
}

type CompareSettings = Pick<ImportSettings, "newBatches">;

async function compare(
	tx: Query,
	{ newBatches = false }: CompareSettings,
	world: World,
	unread: readonly Problem[],
): Promise<{ plan: Plan; existing: Existing }> {
	const existing = await readExisting(tx, world, unread);
	const { plan, problems } = await inTurns(planImport(world, existing, { unread, newBatches }));
	if (problems.length > 0) throw new ImportRefused(problems);
	return { plan, existing };
}

/** Sorts lots into the order in which every batch locks them, which prevents deadlocks with batches. */
const inLockOrder = (lots: Plan["lots"]["changed"], { lots: known }: Existing): Plan["lots"]["changed"] => {
	const idOf = new Map(lots.map((lot) => [lot, must(known.get(keyOf("lots", lot.entry)), "lot").fgId]));
	return lots.toSorted((a, b) => (must(idOf.get(a), "id") < must(idOf.get(b), "id") ? -1 : 1));
};

interface Made {
	readonly formulas: ReadonlyMap<string, string>;
	readonly lots: ReadonlyMap<string, Received>;
	readonly keys: ReadonlyMap<string, MintedKey>;
}

function report(
	world: World,
	plan: Plan,
	existing: Existing,
	quarantined: ReadonlySet<string>,
	made: Made | null,
): ImportReport {
	const count = (verdict: "created" | "changed" | "unchanged") =>
		Object.fromEntries(KINDS.map((kind) => [kind, plan[kind][verdict].length])) as ImportReport["created"];
	return {
		dry_run: made === null,
		created: count("created"),
		changed: count("changed"),
		unchanged: count("unchanged"),
		changes: changesOf(plan, existing),
		formulas: world.formulas.map(({ entry: { code } }) => ({
			code,
			formula_id: made?.formulas.get(code) ?? existing.formulas.get(code)?.formulaId ?? null,
		})),
		lots: world.lots.map(({ entry: lot }) => ({
			formula: lot.formula,
			brand_code: lot.brandCode,
			batch_number: lot.batchNumber,
			fg_id: made?.lots.get(keyOf("lots", lot))?.fgId ?? existing.lots.get(keyOf("lots", lot))?.fgId ?? null,
			quarantined: quarantined.has(keyOf("lots", lot)),
		})),
		keys: world.keys.map(({ entry: key }) => {
			const minted = made?.keys.get(keyOf("keys", key));
			return {
				name: key.name,
				partner: key.partner,
				key_id: minted?.keyId ?? existing.keys.get(keyOf("keys", key)) ?? null,
				token: minted?.token ?? null,
			};
		}),
	};
}

/** Mints the keys that do not exist yet and returns them by natural key. Existing keys are left alone. */
async function writeKeys(
	tx: Query,
	{ ring, openSandbox, numbered }: Minting & { readonly numbered: NumberedWrite[] },
	{ keys }: Plan,
	advance: Advance,
): Promise<Map<string, MintedKey>> {
	const minting: Minting = { ring, openSandbox: (within, partner) => openSandbox(within, partner, numbered) };
	const minted = new Map<string, MintedKey>();
	for (const { at, entry: key } of keys.created) {
		const made = await mintKey(tx, minting, key);
		if (isRefusal(made)) throw new ImportRefused([{ at: pointAt(at), message: made.message }]);
		minted.set(keyOf("keys", key), made);
		advance(1);
	}
	return minted;
}

/** Writes promised demand and safety buffers. */
async function writePromised(tx: Query, { demand, buffers }: Plan, advance: Advance): Promise<void> {
	await inChunks(touched(demand), advance, async (some) =>
		assert(!isRefusal(await setDemand(tx, some)), "a plan names only what exists"),
	);
	await inChunks(touched(buffers), advance, async (some) =>
		assert(!isRefusal(await setBuffers(tx, some)), "a plan names only what exists"),
	);
}
