import { asReply } from "../../ground/lib/as-reply.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findLot, showLot } from "./find-lot.ts";

/** A lot as a request names it: by its id, or by its batch number and, if several lots have that, formula and brand. */
export interface NamedLot {
	readonly fg_id: string;
	readonly formula?: string | undefined;
	readonly brand_code?: string | undefined;
}

export const lotName = ({ fg_id: lot, formula, brand_code: brand }: NamedLot) => ({ lot, formula, brand });

/** A lot, as its GET returns it. */
export async function readLot(db: Query, timeZone: string, named: NamedLot) {
	const fgId = await findLot(db, lotName(named));
	if (isRefusal(fgId)) return fgId;
	const lot = await showLot(db, timeZone, fgId);
	return isRefusal(lot) ? lot : asReply(lot);
}
