import { timingSafeEqual } from "node:crypto";
import type { Operator } from "../admin/operator.ts";
import type { Standing, Unauthenticated } from "../http/caller.ts";
import { digestOf, type KeyRing } from "../keys/key-ring.ts";
import type { TokenRow } from "./sql.ts";
import { type OperatorToken, parseOperatorToken } from "./token.ts";
import type { TokenReader, TokensRead } from "./token-reader.ts";

/** Finds the operator that the header Authorization names. Rejects if the tokens cannot be read in time. */
export type AuthenticateOperator = (
	authorization: string | undefined,
	from: () => string,
) => Promise<Standing<Operator> | Unauthenticated<Operator>>;

const BEARER = /^bearer +([^ ]+) *$/i;

/** Authenticates operators by their tokens. Unknown, wrong, revoked and expired tokens take the same path and time. */
export function authenticateOperator(reader: TokenReader, ring: KeyRing): AuthenticateOperator {
	const nobody = digestOf("nobody", ring.current); // no secret half equals this word, so the digest never matches
	return async (authorization, from) => {
		const token = parseOperatorToken(BEARER.exec(authorization ?? "")?.[1] ?? "");
		if (token === null) return "unknown";
		const known = await reader.read();
		// a token that was created a moment ago, here or on another node
		const read = known.tokens.has(token.op) ? known : await reader.readAnew();
		const row = read.tokens.get(token.op);
		if (!isSecretOf(row, token, ring, nobody) || row === undefined) return "unknown";
		const { op, name, role } = row;
		const operator: Operator = { name: `token/${name}`, role, via: "token", credential: op, address: from() };
		return isInForce(row, read) ? standingOf(reader, operator) : { ended: operator };
	};
}

function isSecretOf(row: TokenRow | undefined, { os }: OperatorToken, ring: KeyRing, nobody: Buffer): boolean {
	let is = false;
	for (const pepper of ring.peppers) {
		const same = timingSafeEqual(row?.digest ?? nobody, digestOf(os, pepper));
		if (same && row?.pepperId === pepper.id) is = true;
	}
	return is;
}

const isInForce = ({ revokedAt, expiresAt }: TokenRow, read: TokensRead): boolean =>
	revokedAt === null && (expiresAt === null || expiresAt > read.nowMs());

function standingOf(reader: TokenReader, caller: Operator): Standing<Operator> {
	const judge = (read: TokensRead): boolean => {
		const row = read.tokens.get(caller.credential ?? "");
		return row !== undefined && row.role === caller.role && isInForce(row, read);
	};
	return {
		caller,
		inForce() {
			const read = reader.fresh();
			return read === null ? "stale" : judge(read);
		},
		confirm: async () => judge(await reader.read()),
	};
}
