import type { Static } from "typebox";
import { SHARED_POOL_ID } from "../glossary.ts";
import { toRfc3339 } from "../lib/clock.ts";
import { wholeKits } from "../stock/count.ts";
import type { Reserve } from "./contract.ts";
import type { HoldLine, HoldPicture } from "./hold.ts";
import type { Reserved } from "./reserve.ts";

export type HoldReply = Static<(typeof Reserve)["replies"][201]>;
type HeldItem = HoldReply["items"][number];
type HeldComponent = HeldItem["components"][number];

/** The reply of a reserve; a replay shows the hold as it is now. Pure. */
export function holdReply({ hold, idempotent }: Reserved): HoldReply {
	return {
		reservation_token: hold.token,
		expires_at: toRfc3339(hold.expiresAt),
		idempotent,
		items: hold.lines.map((line, index) => itemReply(hold, line, index, idempotent)),
	};
}

function itemReply(hold: HoldPicture, line: HoldLine, index: number, idempotent: boolean): HeldItem {
	const components = line.components.map(({ formula_id, per_kit }) => {
		const requested_units = idempotent ? null : line.qty * per_kit;
		return { formula_id, per_kit, requested_units, ...drawn(hold, index, formula_id) };
	});
	const single = components.length === 1 ? components[0] : undefined;
	return {
		sku: line.sku,
		brand_code: line.brand_code,
		reserved_qty: wholeKits(
			components.map(({ per_kit, reserved_units }) => ({ perKit: per_kit, reserved_units })),
			({ reserved_units }) => reserved_units,
		),
		from_brand_pool: components.reduce((units, component) => units + component.from_brand_pool, 0),
		from_shared_pool: components.reduce((units, component) => units + component.from_shared_pool, 0),
		fg_ids: single ? single.fg_ids : [...new Set(components.flatMap(({ fg_ids }) => fg_ids))],
		components,
	};
}

type Drawn = Pick<HeldComponent, "reserved_units" | "from_brand_pool" | "from_shared_pool" | "fg_ids">;

function drawn(hold: HoldPicture, line: number, formulaId: string): Drawn {
	let from_brand_pool = 0;
	let from_shared_pool = 0;
	const fg_ids: string[] = [];
	for (const part of hold.parts) {
		if (part.line !== line || part.formulaId !== formulaId || part.state !== "held") continue;
		if (part.poolId === SHARED_POOL_ID) from_shared_pool += part.units;
		else from_brand_pool += part.units;
		if (!fg_ids.includes(part.fgId)) fg_ids.push(part.fgId);
	}
	return { reserved_units: from_brand_pool + from_shared_pool, from_brand_pool, from_shared_pool, fg_ids };
}
