import { OperatorError } from "../../ground/lib/operator-error.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { headsUntil, judgeSeals, NO_SEAL, sealOf } from "./audit-seal.ts";
import { insertSeals, lockAuditEnd, selectDayBefore, selectDayEnds, selectSeals } from "./seal-sql.ts";

/**
 * Seals the head of every day that is over and has no seal. The end of the log is locked meanwhile, so every row of
 * such a day is committed. Returns how many days were sealed. @throws OperatorError if an earlier seal is not
 * genuine, because a new one would vouch for it.
 */
export async function sealAudit(db: Database, ring: KeyRing): Promise<number> {
	if ((await selectSeals(db)).at(-1)?.day === (await selectDayBefore(db))) return 0;
	return await transaction(db, async (tx) => {
		await lockAuditEnd(tx);
		const seals = await selectSeals(tx);
		const { forged, digest } = judgeSeals(seals, ring);
		if (forged !== null)
			throw new OperatorError(`The seal of ${forged.day} in the audit log is not genuine: run holdfast audit verify.`);
		const last = seals.at(-1) ?? null;
		const heads = headsUntil(last, await selectDayEnds(tx, last?.seq ?? 0), await selectDayBefore(tx));
		let before = seals.length === 0 ? NO_SEAL : digest;
		const fresh = heads.map((head) => {
			const sealed = sealOf(head, before, ring);
			before = sealed.digest;
			return sealed.row;
		});
		if (fresh.length > 0) await insertSeals(tx, fresh);
		return fresh.length;
	});
}
