import type { Query } from "../../ground/pg/connect.ts";
import type { Sealed } from "./sealer.ts";

/** Hours for which a reply is kept (operator contract, section 3). */
export const REPLY_HOURS = 24;

export interface KeptReply {
	readonly digest: Buffer;
	/** Null only within the transaction that claimed the key. */
	readonly reply: Buffer | null;
	readonly ringId: string | null;
}

/**
 * Claims an actor's key for this transaction, after waiting for any other transaction that has claimed it. True: nobody
 * used the key in the last 24 hours.
 */
export async function claimReply(tx: Query, actor: string, key: string, digest: Buffer): Promise<boolean> {
	const { rowCount } = await tx.query(
		`insert into operator_reply as kept (actor, key, digest) values ($1, $2, $3)
		 on conflict (actor, key) do update set digest = excluded.digest, reply = null, ring_id = null, at = excluded.at
		  where kept.at < clock_timestamp() - make_interval(hours => $4)`,
		[actor, key, digest, REPLY_HOURS],
	);
	return rowCount === 1;
}

export async function selectReply(tx: Query, actor: string, key: string): Promise<KeptReply | null> {
	const { rows } = await tx.query<KeptReply>(
		`select digest, reply, ring_id as "ringId" from operator_reply where actor = $1 and key = $2`,
		[actor, key],
	);
	return rows[0] ?? null;
}

export const keepReply = (tx: Query, actor: string, key: string, { ringId, sealed }: Sealed): Promise<unknown> =>
	tx.query("update operator_reply set reply = $3, ring_id = $4 where actor = $1 and key = $2", [
		actor,
		key,
		sealed,
		ringId,
	]);

/** Deletes replies older than REPLY_HOURS. */
export const forgetReplies = (db: Query): Promise<unknown> =>
	db.query("delete from operator_reply where at < clock_timestamp() - make_interval(hours => $1)", [REPLY_HOURS]);
