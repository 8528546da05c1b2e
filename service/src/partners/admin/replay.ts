import { createHash } from "node:crypto";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { AnyReply } from "../http/mount.ts";
import { claimReply, keepReply, REPLY_HOURS, selectReply } from "./reply-sql.ts";

/** Encrypts what is stored and holds secrets: kept replies may show a key's secret once more. */
export interface Sealer {
	/** Under the current entry of the key ring; it opens under the same `id` only. */
	seal(id: string, text: string): { readonly ringId: string; readonly sealed: Buffer };
	/** Null: the ring has no such entry any more, or the row was changed. */
	open(id: string, sealed: { readonly ringId: string; readonly sealed: Buffer }): string | null;
}

/** A write under an Idempotency-Key. */
export interface Claim {
	readonly actor: string;
	readonly key: string;
	/** Of operation, path and body: what must be the same for the first reply to be sent again. */
	readonly digest: Buffer;
}

export const digestOfRequest = (operation: string, params: unknown, body: unknown): Buffer =>
	createHash("sha256")
		.update(JSON.stringify([operation, params, body]))
		.digest();

/**
 * The reply that was sent under this key before, or null: the write is to be carried out, and its reply kept with
 * `keepFirst` in the same transaction. Refuses `idempotency_conflict` when the key was used for another request.
 */
export async function findFirst(
	tx: Query,
	sealer: Sealer,
	claim: Claim,
): Promise<AnyReply | Refusal<"idempotency_conflict"> | null> {
	if (await claimReply(tx, claim.actor, claim.key, claim.digest)) return null;
	const kept = await selectReply(tx, claim.actor, claim.key);
	if (kept === null) return null; // deleted meanwhile, after its 24 hours
	if (!kept.digest.equals(claim.digest)) {
		const message = `This Idempotency-Key was used for another request in the last ${REPLY_HOURS} hours: choose another key.`;
		return refuse("idempotency_conflict", message);
	}
	const { reply, ringId } = kept;
	const text = reply === null || ringId === null ? null : sealer.open(idOf(claim), { ringId, sealed: reply });
	if (text === null) {
		const message = "This request was carried out before. Its reply cannot be read any more: the key ring has changed.";
		return refuse("idempotency_conflict", message);
	}
	const first = JSON.parse(text) as AnyReply;
	return { ...first, headers: { ...first.headers, "Idempotent-Replayed": "true" } } as AnyReply;
}

export const keepFirst = (tx: Query, sealer: Sealer, claim: Claim, reply: AnyReply): Promise<unknown> =>
	keepReply(tx, claim.actor, claim.key, sealer.seal(idOf(claim), JSON.stringify(reply)));

const idOf = ({ actor, key }: Claim): string => `${actor} ${key}`;
