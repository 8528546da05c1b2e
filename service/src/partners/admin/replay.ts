import { hash } from "node:crypto";
import { must } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { AnyReply } from "../http/mount.ts";
import { claimReply, keepReply, REPLY_HOURS, selectReply } from "./reply-sql.ts";
import type { Sealer } from "./sealer.ts";

/** A write under an Idempotency-Key. */
export interface Claim {
	readonly actor: string;
	readonly key: string;
	/**
	 * Digest of the operation, path and body, which a repeat must have in common with the first request. It is stored
	 * only under the key ring: the body may have a password, which could be guessed from a plain digest.
	 */
	readonly digest: Buffer;
}

export const digestOfRequest = (operation: string, params: unknown, body: unknown): Buffer =>
	hash("sha256", JSON.stringify([operation, params, body]), "buffer");

/**
 * The reply that was sent under this key before, or null. If null, the caller carries out the write and passes its
 * reply to `keepFirst` in the same transaction. Refuses `idempotency_conflict` if the key was used for another
 * request.
 */
export async function findFirst(
	tx: Query,
	sealer: Sealer,
	claim: Claim,
): Promise<AnyReply | Refusal<"idempotency_conflict"> | null> {
	const digest = must(sealer.digest(idOf(claim), claim.digest), "the current entry of the key ring");
	if (await claimReply(tx, claim.actor, claim.key, digest)) return null;
	return await findKept(tx, sealer, claim);
}

/** The same without claiming the key: also null while the first request is under way. */
export async function findKept(
	tx: Query,
	sealer: Sealer,
	claim: Claim,
): Promise<AnyReply | Refusal<"idempotency_conflict"> | null> {
	const kept = await selectReply(tx, claim.actor, claim.key);
	if (kept === null) return null; // deleted meanwhile, after its 24 hours
	const { reply, ringId } = kept;
	// the reply is sealed under the entry that the digest was made with, in the same transaction
	const digest = ringId === null ? null : sealer.digest(idOf(claim), claim.digest, ringId);
	if (digest !== null && !digest.equals(kept.digest)) {
		const message = `This Idempotency-Key was used for another request in the last ${REPLY_HOURS} hours: choose another key.`;
		return refuse("idempotency_conflict", message);
	}
	const text = reply === null || ringId === null ? null : sealer.open(idOf(claim), { ringId, sealed: reply });
	if (text === null) {
		const message =
			"A request was carried out under this Idempotency-Key before. Its reply cannot be read any more, because the key ring has changed.";
		return refuse("idempotency_conflict", message);
	}
	const first = JSON.parse(text) as AnyReply;
	return { ...first, headers: { ...first.headers, "Idempotent-Replayed": "true" } } as AnyReply;
}

/** Keeps a reply, encrypted because it may contain the secret of a key. */
export const keepFirst = (tx: Query, sealer: Sealer, claim: Claim, reply: AnyReply): Promise<unknown> =>
	keepReply(tx, claim.actor, claim.key, sealer.seal(idOf(claim), JSON.stringify(reply)));

const idOf = ({ actor, key }: Claim): string => `${actor} ${key}`;
