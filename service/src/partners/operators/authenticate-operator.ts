import type { Query } from "../../ground/pg/connect.ts";
import type { Operator } from "../admin/operator.ts";
import type { Standing, Unauthenticated } from "../http/caller.ts";
import { bearerOf, nobodysSecret, secretPresented } from "../keys/authenticate.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { createFreshReader, type FreshRead, type FreshReader, standingOf } from "./fresh-reader.ts";
import { selectTokens, type TokenRow } from "./sql.ts";
import { parseOperatorToken } from "./token.ts";

/** Finds the operator that the header Authorization names. Rejects if the tokens cannot be read in time. */
export type AuthenticateOperator = (
	authorization: string | undefined,
	from: () => string,
) => Promise<Standing<Operator> | Unauthenticated<Operator>>;

/** A reader of all tokens, by their public halves. */
export const createTokenReader = (db: Query): FreshReader<TokenRow> =>
	createFreshReader(
		() => selectTokens(db),
		({ op }) => op,
	);

/** Authenticates operators by their tokens. Unknown, wrong, revoked and expired tokens take the same path and time. */
export function authenticateOperator(reader: FreshReader<TokenRow>, ring: KeyRing): AuthenticateOperator {
	const nobody = nobodysSecret(ring);
	return async (authorization, from) => {
		const token = parseOperatorToken(bearerOf(authorization));
		if (token === null) return { why: "malformed" };
		const known = await reader.read();
		// a token that was created a moment ago, here or on another node
		const read = known.rows.has(token.op) ? known : await reader.readAnew();
		const row = read.rows.get(token.op);
		if (secretPresented([row ?? nobody], token.os, ring) === null || row === undefined) return { why: "unknown" };
		const { op, name, role } = row;
		const operator: Operator = { name: `token/${name}`, role, via: "token", credential: op, address: from() };
		const judge = (later: FreshRead<TokenRow>): boolean => {
			const now = later.rows.get(op);
			return now !== undefined && now.role === role && isInForce(now, later);
		};
		return isInForce(row, read) ? standingOf(reader, operator, judge) : { why: "ended", owner: operator };
	};
}

const isInForce = ({ revokedAt, expiresAt }: TokenRow, read: FreshRead<TokenRow>): boolean =>
	revokedAt === null && (expiresAt === null || expiresAt > read.nowMs());
