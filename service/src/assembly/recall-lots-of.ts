import { must } from "../ground/lib/assert.ts";
import { isRefusal } from "../ground/lib/refusal.ts";
import type { CertificateAdminDeps } from "../inventory/certificates/admin.ts";
import { findHoldersOfLocked } from "../inventory/recall/find-holders.ts";
import { findLotsToRecall } from "../inventory/recall/find-lots-to-recall.ts";
import type { ExecutesStockIn } from "./engine.ts";

/**
 * Recalls the lots of a certificate in the transaction of the write that retires it: first the free units, so that
 * none of them is set aside any more, then the units that holds and orders have.
 */
export const recallLotsOf =
	(executeIn: ExecutesStockIn): CertificateAdminDeps["recallLotsOf"] =>
	async (tx, { slug, batchNumber }, { origin, reason }, more) => {
		const fgIds = await findLotsToRecall(tx, { slug, batchNumber, formula: null });
		if (isRefusal(fgIds)) return null;
		const recallFrom = async (holders: readonly string[]) => {
			const [answer] = await executeIn(tx, [{ kind: "recall", origin, fgIds, reason, holders }], more);
			return must(answer, "the answer to a recall");
		};
		const free = await recallFrom([]);
		if (isRefusal(free) || free.left === 0) return isRefusal(free) ? free : { fgIds, ...free };
		const bound = await recallFrom(await findHoldersOfLocked(tx, fgIds));
		if (isRefusal(bound)) return bound;
		const { replaced, lost, left } = bound;
		return { fgIds, moved: free.moved + bound.moved, replaced, lost, left };
	};
