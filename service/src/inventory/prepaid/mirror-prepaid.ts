import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { readSince } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import type { Caller, Standing } from "../../partners/http/caller.ts";
import { carryOutWrite } from "../../partners/keys/carry-out-write.ts";
import { drawOfBrand } from "../catalog/brand.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import type { ReserveCache } from "./contract.ts";
import { mirrorItems, wrongItem } from "./mirror.ts";
import { advanceMirror, clearMirror, insertMirrorItems, type MirrorItem, selectMirror } from "./sql.ts";

export type Mirrored = Static<(typeof ReserveCache)["replies"][200]>;
type MirrorRefusal = Refusal<
	"brand_mismatch" | "invalid_input" | "invalid_item" | "rate_limited" | "unauthorized" | "unknown_brand_code"
>;

/** Maximum number of attempts for a push that conflicts with another transaction. */
const MAX_CONFLICTS = 3;

type Body = Static<(typeof ReserveCache)["body"]>;
type Pushed = Readonly<Omit<Body, "items">> & { readonly items: readonly Readonly<Body["items"][number]>[] };

export interface PrepaidDeps {
	/** The pool for work outside the hot path. */
	readonly db: Database;
	readonly catalog: CatalogCache;
	/** Serializes pushes, so that they use at most one connection of `db`. */
	readonly pushes: Turns;
}

/**
 * Replaces a brand's whole mirror of prepaid units if the push's `sequence` is above the stored one; otherwise changes
 * nothing. The mirror is informational and changes no count (settlements, section 7).
 */
export async function mirrorPrepaid(
	{ db, catalog, pushes }: PrepaidDeps,
	{ caller, standing }: { readonly caller: Caller; readonly standing: Standing },
	pushed: Pushed,
): Promise<Mirrored | MirrorRefusal> {
	const asOf = readSince("as_of", pushed.as_of);
	const wrong = isRefusal(asOf) ? asOf : wrongItem(pushed.items);
	if (wrong !== null) return wrong;
	return pushes.take(caller.keyId, async () => {
		const read = await catalog.read(db);
		const draw = drawOfBrand(caller, pushed.brand_code, read);
		if (isRefusal(draw)) return draw;
		const items = mirrorItems(read, caller.environment, pushed.items);
		if (isRefusal(items)) return items;
		const push = {
			poolId: must(draw.pools[0], "the brand's pool"),
			sequence: pushed.sequence,
			asOf: toRfc3339(must(asOf, "a time") as number),
		};
		const kept = await carryOutWrite(db, standing, MAX_CONFLICTS)((tx) => replace(tx, push, items));
		return isRefusal(kept) ? kept : { brand_code: pushed.brand_code, ...kept };
	});
}

async function replace(
	tx: Query,
	{ poolId, sequence, asOf }: { readonly poolId: number; readonly sequence: number; readonly asOf: string },
	items: readonly MirrorItem[],
): Promise<Omit<Mirrored, "brand_code">> {
	const applied = (await advanceMirror(tx, poolId, sequence, asOf)).rowCount === 1;
	const replaced = applied ? await clearMirror(tx, poolId) : 0;
	if (applied && items.length > 0) await insertMirrorItems(tx, poolId, items);
	const kept = must(await selectMirror(tx, poolId), "the mirror");
	return {
		sequence: kept.sequence,
		applied,
		items: kept.items,
		replaced,
		mirrored_at: toRfc3339(kept.mirroredAtMs),
	};
}
