import { intact, newPublicHalf, newSecretHalf, PUBLIC_HALF, SECRET_HALF } from "../keys/token.ts";

/** The two halves of an operator's token (operator contract, section 8). */
export interface OperatorToken {
	/** Public: `op_hf_<id>`. */
	readonly op: string;
	/** Secret: `os_hf_…`. Never logged, never stored. */
	readonly os: string;
}

const [PUBLIC_PREFIX, SECRET_PREFIX] = ["op_hf_", "os_hf_"] as const;
const SHAPE = new RegExp(`^(${PUBLIC_PREFIX}${PUBLIC_HALF}):(${SECRET_PREFIX}${SECRET_HALF})$`);

export const newOperatorToken = (): OperatorToken => ({
	op: newPublicHalf(PUBLIC_PREFIX),
	os: newSecretHalf(SECRET_PREFIX),
});

/** The halves of a token, or null if it has the wrong form or a typo (checksum). */
export function parseOperatorToken(text: string): OperatorToken | null {
	const [, op = "", os = ""] = SHAPE.exec(text) ?? [];
	return op !== "" && intact(op) && intact(os) ? { op, os } : null;
}

/** The name of a token in lists and in `DELETE /tokens/{id}`: its public half without the prefix. */
export const tokenIdOf = (op: string): string => op.slice(PUBLIC_PREFIX.length);

/** The public half of an id, which may be given with its prefix. */
export const publicHalfOf = (id: string): string => (id.startsWith(PUBLIC_PREFIX) ? id : PUBLIC_PREFIX + id);
