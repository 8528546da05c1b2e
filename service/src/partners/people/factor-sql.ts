import type { Query } from "../../ground/pg/connect.ts";
import { epochMs } from "../../ground/pg/query.ts";
import type { Sealed } from "../admin/sealer.ts";
import { MAX_FACTORS } from "./limits.ts";
import type { Factor } from "./person.ts";

const COLUMNS = `factor_id as "factorId", kind, name, ${epochMs("created_at")} as "createdAt", ${epochMs("used_at")} as "usedAt"`;

export interface StoredTotp extends Factor, Sealed {
	readonly lastStep: number | null;
	readonly isConfirmed: boolean;
}

/** A page of a person's factors that count, oldest first. `after`: only those after this one; null: all. */
export const selectFactorPage = (db: Query, personId: string, after: string | null, limit: number) =>
	db.query<Factor>(
		`select ${COLUMNS} from operator_factor where person_id = $1 and confirmed_at is not null
		    and ($2::uuid is null or factor_id > $2) order by factor_id limit $3`,
		[personId, after, limit],
	);

/** All factors of a person that count, oldest first. */
export const selectFactors = async (db: Query, personId: string): Promise<Factor[]> =>
	(await selectFactorPage(db, personId, null, MAX_FACTORS)).rows;

/** Locks a person's TOTP secrets, confirmed or not. */
export const lockTotps = async (tx: Query, personId: string): Promise<StoredTotp[]> =>
	(
		await tx.query<StoredTotp>(
			`select ${COLUMNS}, ring_id as "ringId", sealed, last_step::float8 as "lastStep", confirmed_at is not null as "isConfirmed"
			   from operator_factor where person_id = $1 and kind = 'totp' order by created_at, factor_id for update`,
			[personId],
		)
	).rows;

/** Adds a TOTP secret that is still to be confirmed, in place of earlier ones that never were. */
export async function insertTotp(
	tx: Query,
	personId: string,
	factor: Sealed & { readonly factorId: string; readonly name: string },
): Promise<void> {
	await tx.query("delete from operator_factor where person_id = $1 and kind = 'totp' and confirmed_at is null", [
		personId,
	]);
	await tx.query(
		`insert into operator_factor (factor_id, person_id, kind, name, ring_id, sealed) values ($1, $2, 'totp', $3, $4, $5)`,
		[factor.factorId, personId, factor.name, factor.ringId, factor.sealed],
	);
}

/** Records that the code of this step was accepted; the first one confirms the factor. */
export const useTotp = (tx: Query, factorId: string, step: number): Promise<unknown> =>
	tx.query(
		`update operator_factor set last_step = $2, used_at = clock_timestamp(), confirmed_at = coalesce(confirmed_at, clock_timestamp())
		  where factor_id = $1`,
		[factorId, step],
	);

export async function deleteFactor(tx: Query, personId: string, factorId: string): Promise<boolean> {
	const { rowCount } = await tx.query("delete from operator_factor where person_id = $1 and factor_id = $2", [
		personId,
		factorId,
	]);
	return rowCount === 1;
}

/** Deletes all factors and recovery codes. */
export async function deleteFactors(tx: Query, personId: string): Promise<void> {
	await tx.query("delete from operator_factor where person_id = $1", [personId]);
	await tx.query("delete from operator_recovery_code where person_id = $1", [personId]);
}

/** The number of recovery codes that were not used. */
export const countRecoveryCodes = async (db: Query, personId: string): Promise<number> =>
	(
		await db.query<{ left: number }>(
			`select count(*)::int as left from operator_recovery_code where person_id = $1 and used_at is null`,
			[personId],
		)
	).rows[0]?.left ?? 0;

export async function replaceRecoveryCodes(tx: Query, personId: string, digests: readonly Buffer[]): Promise<void> {
	await tx.query("delete from operator_recovery_code where person_id = $1", [personId]);
	await tx.query("insert into operator_recovery_code (person_id, digest) select $1, unnest($2::bytea[])", [
		personId,
		digests,
	]);
}

/** False: the person has no such code, or it was used. */
export async function useRecoveryCode(tx: Query, personId: string, digest: Buffer): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update operator_recovery_code set used_at = clock_timestamp() where person_id = $1 and digest = $2 and used_at is null`,
		[personId, digest],
	);
	return rowCount === 1;
}
