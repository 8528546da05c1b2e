import type { Query } from "../../ground/pg/connect.ts";
import type { PasskeyKey } from "./accept-passkey.ts";
import { CHALLENGE_MINUTES } from "./limits.ts";

export interface StoredPasskey extends PasskeyKey {
	readonly factorId: string;
	readonly personId: string;
}

const COLUMNS = `factor_id as "factorId", person_id as "personId", credential_id as "credentialId", public_key as "publicKey",
	counter::float8 as counter`;

export const findPasskey = async (db: Query, credentialId: string): Promise<StoredPasskey | null> =>
	(await db.query<StoredPasskey>(`select ${COLUMNS} from operator_factor where credential_id = $1`, [credentialId]))
		.rows[0] ?? null;

export const lockPasskey = async (tx: Query, credentialId: string): Promise<StoredPasskey | null> =>
	(
		await tx.query<StoredPasskey>(`select ${COLUMNS} from operator_factor where credential_id = $1 for update`, [
			credentialId,
		])
	).rows[0] ?? null;

/** The ids of a person's passkeys, so that no device is added twice. */
export const selectCredentialIds = async (db: Query, personId: string): Promise<string[]> =>
	(
		await db.query<{ id: string }>(
			"select credential_id as id from operator_factor where person_id = $1 and kind = 'passkey' order by created_at",
			[personId],
		)
	).rows.map(({ id }) => id);

/** False: somebody has this passkey already. */
export async function insertPasskey(tx: Query, passkey: StoredPasskey & { readonly name: string }): Promise<boolean> {
	const { factorId, personId, name, credentialId, publicKey, counter } = passkey;
	const { rowCount } = await tx.query(
		`insert into operator_factor (factor_id, person_id, kind, name, credential_id, public_key, counter, confirmed_at)
		 values ($1, $2, 'passkey', $3, $4, $5, $6, clock_timestamp()) on conflict (credential_id) do nothing`,
		[factorId, personId, name, credentialId, publicKey, counter],
	);
	return rowCount === 1;
}

export const notePasskeyUse = (tx: Query, factorId: string, counter: number): Promise<unknown> =>
	tx.query("update operator_factor set counter = $2, used_at = clock_timestamp() where factor_id = $1", [
		factorId,
		counter,
	]);

/** `personId`: who adds a passkey; null: somebody signs in. */
export const insertChallenge = (db: Query, challenge: string, personId: string | null): Promise<unknown> =>
	db.query(
		`insert into operator_challenge (challenge, person_id, expires_at)
		 values ($1, $2, clock_timestamp() + make_interval(mins => $3))`,
		[challenge, personId, CHALLENGE_MINUTES],
	);

/** Uses a challenge up. False: it was not made for this, was used, or is too old. */
export async function useChallenge(db: Query, challenge: string, personId: string | null): Promise<boolean> {
	const { rowCount } = await db.query(
		`delete from operator_challenge
		  where challenge = $1 and person_id is not distinct from $2::uuid and expires_at > clock_timestamp()`,
		[challenge, personId],
	);
	return rowCount === 1;
}

export const forgetChallenges = (db: Query): Promise<unknown> =>
	db.query("delete from operator_challenge where expires_at < clock_timestamp()");
