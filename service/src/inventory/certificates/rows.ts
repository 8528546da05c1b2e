import type { Rows } from "../../ground/engine/rows.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectCertifiedLots } from "./certified-sql.ts";
import { holdToRecalls, retireOfLots, selectBlockedCertificates } from "./change-sql.ts";
import type { CoaLinks } from "./record.ts";

interface BookWithRecalls {
	readonly links: Pick<CoaLinks, "verifyUrl">;
	readonly stock: {
		readonly newlyRecalled: ReadonlySet<{ readonly fgId: string; readonly batchNumber: string }>;
		readonly broughtInFree: ReadonlySet<{ readonly fgId: string }>;
		readonly lotsById: ReadonlyMap<string, unknown>;
		countOnly(certified: ReadonlySet<string>): void;
	};
}

/** Whether another transaction keeps the certificate epoch locked. */
export interface LockedCertificates {
	certificates: boolean;
}

/** Only operator commands name lots, and only they recall lots or bring units in. */
interface LotNeeds {
	readonly fgIds: ReadonlySet<string>;
	readonly batches: { readonly length: number };
}

/** Retires certificates with their lots' recall. `required`: only certified lots are counted and picked from. */
export const createCertificateRows = (required: boolean): Rows<LotNeeds, BookWithRecalls, LockedCertificates> => ({
	...(required && { loadDependents: countCertified }),
	saveNumbered({ links, stock: { newlyRecalled, broughtInFree } }) {
		if (newlyRecalled.size + broughtInFree.size === 0) return null;
		const shown = new Map([...newlyRecalled].map(({ batchNumber }) => [batchNumber, links.verifyUrl(batchNumber)]));
		return (tx) =>
			Promise.all([
				broughtInFree.size > 0 ? holdToRecalls(tx, idsOf(broughtInFree)) : null,
				newlyRecalled.size > 0 ? retireOfLots(tx, idsOf(newlyRecalled), shown) : null,
			]);
	},
	async findLocked(tx, needs, locked) {
		locked.certificates = namesLots(needs) && (await selectBlockedCertificates(tx, [])).length > 0;
		return locked.certificates;
	},
	conflictsWith: (needs, { certificates }) => certificates && namesLots(needs),
});

async function countCertified(tx: Query, { stock }: BookWithRecalls): Promise<void> {
	stock.countOnly(await selectCertifiedLots(tx, [...stock.lotsById.keys()]));
}

const namesLots = ({ fgIds, batches }: LotNeeds): boolean => fgIds.size > 0 || batches.length > 0;
const idsOf = (lots: ReadonlySet<{ readonly fgId: string }>): string[] => [...lots].map(({ fgId }) => fgId);
