import type { Role } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { epochMs, NOW_MS } from "../../ground/pg/query.ts";

/** A token as it is stored. Instants are epoch milliseconds by the database clock. */
export interface TokenRow {
	readonly op: string;
	readonly name: string;
	readonly role: Role;
	readonly digest: Buffer;
	readonly pepperId: string;
	readonly createdBy: string;
	readonly createdAt: number;
	readonly expiresAt: number | null;
	readonly revokedAt: number | null;
}

const COLUMNS = `op, name, role, digest, pepper_id as "pepperId", created_by as "createdBy", ${epochMs("created_at")} as "createdAt",
	${epochMs("expires_at")} as "expiresAt", ${epochMs("revoked_at")} as "revokedAt"`;

/** Every token, with the database's time. */
export async function selectTokens(db: Query): Promise<{ nowMs: number; rows: TokenRow[] }> {
	const { rows } = await db.query<{ now: number; token: TokenRow[] } & TokenRow>(
		`select ${NOW_MS} as now, t.* from (values (1)) one left join (select ${COLUMNS} from operator_token) t on true order by name`,
	);
	return { nowMs: rows[0]?.now ?? 0, rows: rows.filter(({ op }) => op !== null) };
}

/** A page of tokens by name. */
export const selectTokenPage = (db: Query, after: string | null, limit: number) =>
	db.query<TokenRow>(
		`select ${COLUMNS} from operator_token where $1::text is null or name > $1 order by name limit $2`,
		[after, limit],
	);

export interface NewToken extends Pick<TokenRow, "op" | "name" | "role" | "digest" | "pepperId" | "createdBy"> {
	readonly tokenId: string;
	readonly expiresAt: Date | null;
}

/** The token as stored; null: its name is already used. */
export async function insertToken(tx: Query, token: NewToken): Promise<TokenRow | null> {
	const { tokenId, op, name, role, digest, pepperId, createdBy, expiresAt } = token;
	const { rows } = await tx.query<TokenRow>(
		`insert into operator_token (token_id, op, name, role, digest, pepper_id, created_by, expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (name) do nothing returning ${COLUMNS}`,
		[tokenId, op, name, role, digest, pepperId, createdBy, expiresAt],
	);
	return rows[0] ?? null;
}

/** Locks a token; null: there is no token with this public half. */
export const lockToken = async (tx: Query, op: string): Promise<TokenRow | null> =>
	(await tx.query<TokenRow>(`select ${COLUMNS} from operator_token where op = $1 for update`, [op])).rows[0] ?? null;

export async function setTokenRevoked(tx: Query, op: string): Promise<TokenRow | null> {
	const { rows } = await tx.query<TokenRow>(
		`update operator_token set revoked_at = clock_timestamp() where op = $1 returning ${COLUMNS}`,
		[op],
	);
	return rows[0] ?? null;
}
