import type { Role } from "../../glossary.ts";
import { newId } from "../../ground/lib/ids.ts";
import { parseInstant } from "../../ground/lib/instant.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { actorOf, type Operator } from "../admin/operator.ts";
import { digestOf, type KeyRing } from "../keys/key-ring.ts";
import { insertToken, type TokenRow } from "./sql.ts";
import { newOperatorToken } from "./token.ts";

export interface TokenWish {
	readonly name: string;
	readonly role: Role;
	/** An RFC 3339 time, or a duration: `90d`, `12h`. Absent: it does not expire. */
	readonly expiresAt?: string | undefined;
}

const MS_OF = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;
const DURATION = /^([1-9]\d{0,4})([dhm])$/;

/**
 * The end of a token created at `nowMs`, both in epoch milliseconds; null: the text is neither a time nor a duration.
 */
export function endOf(text: string, nowMs: number): number | null {
	const [, count, unit] = DURATION.exec(text) ?? [];
	if (count === undefined) return parseInstant(text);
	return nowMs + Number(count) * MS_OF[unit as keyof typeof MS_OF];
}

/** Creates a token for a script. `token` is shown only once. Refuses `invalid_input`. */
export async function mintToken(
	tx: Query,
	ring: KeyRing,
	by: Operator,
	{ name, role, expiresAt }: TokenWish,
): Promise<{ readonly row: TokenRow; readonly token: string } | Refusal<"invalid_input">> {
	const ends = await endsAt(tx, expiresAt);
	if (isRefusal(ends)) return ends;
	const { op, os } = newOperatorToken();
	const pepper = ring.current;
	const row = await insertToken(tx, {
		tokenId: newId(),
		op,
		name,
		role,
		digest: digestOf(os, pepper),
		pepperId: pepper.id,
		createdBy: actorOf(by),
		expiresAt: ends,
	});
	if (row === null)
		return refuse(
			"invalid_input",
			`/name: there is, or was, a token named ${JSON.stringify(name)}: choose another name`,
		);
	return { row, token: `${op}:${os}` };
}

async function endsAt(tx: Query, text: string | undefined): Promise<Date | null | Refusal<"invalid_input">> {
	if (text === undefined) return null;
	const nowMs = await selectNow(tx);
	const end = endOf(text, nowMs);
	if (end === null)
		return refuse(
			"invalid_input",
			"/expires_at: expected a time such as 2026-09-06T12:00:00Z, or a duration such as 90d",
		);
	return end > nowMs ? new Date(end) : refuse("invalid_input", "/expires_at: expected a time that is not past");
}
