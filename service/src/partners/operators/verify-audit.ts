import type { Database, Query } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { checkChain, selectAuditHead } from "./audit-list-sql.ts";
import { judgeSeals } from "./audit-seal.ts";
import { selectBrokenDay, selectDayOfRow, selectSeals } from "./seal-sql.ts";

/** Number of rows that one statement checks. */
const ROWS_AT_ONCE = 10_000;

/**
 * The first row that is missing or changed, or the first whose seal cannot be checked because the key ring lacks its
 * entry.
 */
export interface AuditBreak {
	readonly at: number;
	/** Its day in UTC; null: unknown, because no sealed day has this row. */
	readonly day: string | null;
	/** What is wrong with the row, as a sentence. */
	readonly why: string;
}

export interface AuditVerdict {
	readonly rows: number;
	/** Null: the log is whole. */
	readonly broken: AuditBreak | null;
	/** The last sealed day, with the digest of all sealed heads; null: no day was sealed. */
	readonly sealedTo: { readonly day: string; readonly seq: number; readonly digest: string } | null;
}

const ROW = "This row is missing, was changed, or does not follow from the one before it.";
const SEAL =
	"The rows of this day do not end as they did when it was sealed, or its seal is not genuine: from this row on, rows were rewritten or cut off.";
const ring = (entry: string): string =>
	`The key ring lacks the entry ${entry} under which this day was sealed: put it back. It is needed until a later day is sealed.`;

/**
 * Checks the whole audit log as of one moment: no row was changed, removed, swapped or added, and the last row of
 * each sealed day is still the one that was sealed.
 */
export const verifyAudit = (db: Database, keyRing: KeyRing): Promise<AuditVerdict> =>
	snapshot(db, async (tx) => {
		const seals = await selectSeals(tx);
		const { forged, unproved, digest } = judgeSeals(seals, keyRing);
		const { rows, brokenAt } = await verifyChain(tx);
		const changed = await selectBrokenDay(tx);
		const found: (AuditBreak & { readonly until: number })[] = [];
		if (brokenAt !== null) {
			const day = seals.find(({ seq }) => seq >= brokenAt)?.day ?? (await selectDayOfRow(tx, brokenAt));
			found.push({ at: brokenAt, until: brokenAt, day, why: ROW });
		}
		for (const [index, { day, seq, ringId }] of seals.entries()) {
			const why = day === changed || day === forged?.day ? SEAL : day === unproved?.day ? ring(ringId) : null;
			const first = (seals[index - 1]?.seq ?? 0) + 1;
			// if the log was cut off: the first missing row
			const at = brokenAt === null && seq > rows ? Math.max(first, rows + 1) : first;
			if (why !== null) found.push({ at, until: seq, day, why });
		}
		const [first] = found.toSorted((a, b) => a.until - b.until);
		const last = seals.at(-1);
		return {
			rows,
			broken: first === undefined ? null : { at: first.at, day: first.day, why: first.why },
			sealedTo: last === undefined ? null : { day: last.day, seq: last.seq, digest },
		};
	});

async function verifyChain(tx: Query): Promise<{ readonly rows: number; readonly brokenAt: number | null }> {
	const head = await selectAuditHead(tx);
	let [rows, after, hash] = [0, 0, head.first];
	for (;;) {
		const stretch = await checkChain(tx, after, hash, ROWS_AT_ONCE);
		if (stretch === null) break;
		rows += stretch.rows;
		if (stretch.broken !== null) return { rows, brokenAt: stretch.broken };
		[after, hash] = [stretch.last, stretch.hash];
	}
	const isWhole = after === head.seq && hash.equals(head.hash);
	return { rows, brokenAt: isWhole ? null : Math.min(after, head.seq) + 1 };
}
