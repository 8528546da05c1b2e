import type { Rows } from "../../ground/engine/rows.ts";
import { holdToRecalls, retireOfLots, selectBlockedCertificates } from "./recall-sql.ts";

/** A book of lots, as far as certificates look at it. */
interface BookWithRecalls {
	readonly stock: {
		readonly newlyRecalled: ReadonlySet<{ readonly fgId: string }>;
		readonly broughtInFree: ReadonlySet<{ readonly fgId: string }>;
	};
}

/** Are the numbers of certificates kept locked by somebody else? */
export interface LockedCertificates {
	certificates: boolean;
}

/** Only commands of the operator name lots, and only they recall, or bring units in. */
interface LotNeeds {
	readonly fgIds: ReadonlySet<string>;
	readonly batches: { readonly length: number };
}

/** Certificates follow from recalls: what speaks of a lot is retired in the transaction that recalls the lot. */
export const certificateRows: Rows<LotNeeds, BookWithRecalls, LockedCertificates> = {
	save: () => [],
	number({ stock: { newlyRecalled, broughtInFree } }) {
		if (newlyRecalled.size + broughtInFree.size === 0) return null;
		return (tx) =>
			Promise.all([
				broughtInFree.size > 0 ? holdToRecalls(tx, idsOf(broughtInFree)) : null,
				newlyRecalled.size > 0 ? retireOfLots(tx, idsOf(newlyRecalled)) : null,
			]);
	},
	async findLocked(tx, needs, locked) {
		locked.certificates = namesLots(needs) && (await selectBlockedCertificates(tx, [])).length > 0;
		return locked.certificates;
	},
	meets: (needs, { certificates }) => certificates && namesLots(needs),
};

const namesLots = ({ fgIds, batches }: LotNeeds): boolean => fgIds.size > 0 || batches.length > 0;
const idsOf = (lots: ReadonlySet<{ readonly fgId: string }>): string[] => [...lots].map(({ fgId }) => fgId);
