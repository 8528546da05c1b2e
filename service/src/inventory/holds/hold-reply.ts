import type { Static } from "typebox";
import { SHARED_POOL_ID } from "../../glossary.ts";
import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import { wholeKits } from "../stock/count.ts";
import type { ReadHold, Reserve } from "./contract.ts";
import { type HoldLine, type HoldPicture, isImpaired, linesOf, type PartState } from "./hold.ts";
import type { HoldAsRead } from "./hold-reader-sql.ts";
import type { Reserved } from "./reserve.ts";

export type HoldReply = Static<(typeof Reserve)["replies"][201]>;
export type HoldReading = Static<(typeof ReadHold)["replies"][200]>;
type HeldItem = HoldReply["items"][number];
type HeldComponent = HeldItem["components"][number];

/** States of the units that an active hold still has. */
const HELD: ReadonlySet<PartState> = new Set(["held"]);
/** States of units that a hold has, or that were taken under it and not returned. */
const HELD_OR_TAKEN: ReadonlySet<PartState> = new Set(["held", "allocated", "consumed", "shipped"]);

/** The reply to a reserve; a replay shows the hold's current state. Pure. */
export function holdReply({ hold, idempotent }: Reserved): HoldReply {
	return {
		reservation_token: hold.reservationToken,
		expires_at: toRfc3339(hold.expiresAt),
		idempotent,
		items: hold.lines.map((line, index) => {
			const item = itemReply(hold, line, index, HELD);
			return idempotent ? { ...item, components: item.components.map(withoutRequest) } : item;
		}),
	};
}

const withoutRequest = (component: HeldComponent): HeldComponent => ({ ...component, requested_units: null });

/**
 * The reply to a read of a hold. Items count units that it has or that were taken under it: none for a released,
 * expired or reversed hold. Only an active or placed hold can be impaired, and not if its units were freed: then its
 * order was cancelled. Pure.
 */
export function holdReading({ hold, endedAt, orderId }: HoldAsRead): HoldReading {
	const { reservationToken: token, status, externalRef, consumeRef, createdAt, expiresAt, parts } = hold;
	const lines = linesOf(hold);
	return {
		reservation_token: token,
		status,
		external_ref: externalRef,
		consume_ref: consumeRef,
		impaired: (status === "active" || status === "placed") && !hasFreed(hold) && isImpaired(hold),
		created_at: toRfc3339(createdAt),
		expires_at: toRfc3339(expiresAt),
		ended_at: rfc3339OrNull(endedAt),
		order_id: orderId,
		items: lines.map((line, index) => itemReply({ parts }, line, index, HELD_OR_TAKEN)),
	};
}

const hasFreed = ({ parts }: Pick<HoldPicture, "parts">): boolean => parts.some(({ state }) => state === "freed");

function itemReply(
	hold: Pick<HoldPicture, "parts">,
	line: HoldLine,
	index: number,
	counted: ReadonlySet<PartState>,
): HeldItem {
	const components = line.components.map(({ formula_id, per_kit }) => {
		const requested_units = line.qty * per_kit;
		return { formula_id, per_kit, requested_units, ...drawn(hold, index, formula_id, counted) };
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

function drawn(
	hold: Pick<HoldPicture, "parts">,
	line: number,
	formulaId: string,
	counted: ReadonlySet<PartState>,
): Drawn {
	let from_brand_pool = 0;
	let from_shared_pool = 0;
	const fg_ids: string[] = [];
	for (const part of hold.parts) {
		if (part.line !== line || part.formulaId !== formulaId || !counted.has(part.state)) continue;
		if (part.poolId === SHARED_POOL_ID) from_shared_pool += part.units;
		else from_brand_pool += part.units;
		if (!fg_ids.includes(part.fgId)) fg_ids.push(part.fgId);
	}
	return { reserved_units: from_brand_pool + from_shared_pool, from_brand_pool, from_shared_pool, fg_ids };
}
