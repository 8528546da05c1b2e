import { must } from "../../../service/src/ground/lib/assert.ts";
import { toRfc3339 } from "../../../service/src/ground/lib/clock.ts";
import { readSince } from "../../../service/src/ground/lib/page.ts";
import { isRefusal } from "../../../service/src/ground/lib/refusal.ts";
import { drawOfBrand } from "../../../service/src/inventory/catalog/brand.ts";
import type { Catalog } from "../../../service/src/inventory/catalog/catalog.ts";
import { ReserveCache } from "../../../service/src/inventory/prepaid/contract.ts";
import { mirrorItems, wrongItem } from "../../../service/src/inventory/prepaid/mirror.ts";
import { type Gate, mount } from "../../../service/src/partners/http/mount.ts";
import type { Rows } from "./rows.ts";

interface Means {
	readonly rows: Rows;
	readonly catalog: Catalog;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** The mirror of prepaid units in memory, checked in the order of the service's `mirror-prepaid.ts`. */
export function prepaidOperation(gate: Gate, { rows, catalog, now }: Means): void {
	mount(gate, ReserveCache, async ({ caller, body }) => {
		const asOf = readSince("as_of", body.as_of);
		const wrong = isRefusal(asOf) ? asOf : wrongItem(body.items);
		if (wrong !== null) return wrong;
		const draw = drawOfBrand(caller, body.brand_code, catalog);
		if (isRefusal(draw)) return draw;
		const items = mirrorItems(catalog, caller.environment, body.items);
		if (isRefusal(items)) return items;
		const poolId = must(draw.pools[0], "the brand's pool");
		const before = rows.mirrors.get(poolId);
		const applied = before === undefined || before.sequence < body.sequence;
		const kept = applied ? { sequence: body.sequence, mirroredAt: now(), items } : before;
		rows.mirrors.set(poolId, kept);
		return {
			status: 200,
			data: {
				brand_code: body.brand_code,
				sequence: kept.sequence,
				applied,
				items: kept.items.length,
				replaced: applied ? (before?.items.length ?? 0) : 0,
				mirrored_at: toRfc3339(kept.mirroredAt),
			},
		};
	});
}
