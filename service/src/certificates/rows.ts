import type { Rows } from "../engine/rows.ts";
import { retireOfLots, selectBlockedCertificates } from "./recall-sql.ts";

/** A book of lots, as far as certificates look at it. */
interface BookWithRecalls {
	readonly stock: { readonly newlyRecalled: ReadonlySet<{ readonly fgId: string }> };
}

/** Are the numbers of certificates kept locked by somebody else? */
export interface LockedCertificates {
	certificates: boolean;
}

/** Only commands of the operator name lots, and only they recall. */
interface LotNeeds {
	readonly fgIds: ReadonlySet<string>;
}

/** Certificates follow from recalls: what speaks of a lot is retired in the transaction that recalls the lot. */
export const certificateRows: Rows<LotNeeds, BookWithRecalls, LockedCertificates> = {
	save: () => [],
	number({ stock: { newlyRecalled } }) {
		if (newlyRecalled.size === 0) return null;
		const fgIds = [...newlyRecalled].map(({ fgId }) => fgId);
		return (tx) => retireOfLots(tx, fgIds);
	},
	async findLocked(tx, { fgIds }, locked) {
		locked.certificates = fgIds.size > 0 && (await selectBlockedCertificates(tx, [])).length > 0;
		return locked.certificates;
	},
	meets: ({ fgIds }, { certificates }) => certificates && fgIds.size > 0,
};
