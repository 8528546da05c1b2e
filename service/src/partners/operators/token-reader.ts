import { monotonicMs } from "../../ground/lib/clock.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { selectTokens, type TokenRow } from "./sql.ts";

/** Milliseconds for which a read is valid: a revoked token is refused within 1 s (operator contract, section 2). */
const FRESH_FOR_MS = 250;

/** All tokens as of one read. Immutable. */
export interface TokensRead {
	readonly tokens: ReadonlyMap<string, TokenRow>;
	/** The database's time now, in epoch milliseconds. */
	nowMs(): number;
}

export interface TokenReader {
	/** A read that began at most 250 ms ago; null: there is none. */
	fresh(): TokensRead | null;
	/** A valid read, or a new one. */
	read(): Promise<TokensRead>;
	/**
	 * A read that begins after this call, for a token that a valid read lacks. All waiting callers share it, and only
	 * one runs at a time.
	 */
	readAnew(): Promise<TokensRead>;
}

export function createTokenReader(db: Query, now: () => number = monotonicMs): TokenReader {
	let begunAt = Number.NEGATIVE_INFINITY;
	let last: TokensRead | null = null;
	let running: Promise<TokensRead> | null = null;
	const fresh = (): TokensRead | null => (now() - begunAt <= FRESH_FOR_MS ? last : null);
	const readAnew = async (): Promise<TokensRead> => {
		const sentAt = now();
		const { nowMs, tokens } = await selectTokens(db);
		begunAt = sentAt;
		last = { tokens: new Map(tokens.map((token) => [token.op, token])), nowMs: () => nowMs + now() - sentAt };
		return last;
	};
	const begin = (): Promise<TokensRead> => {
		running ??= patiently(readAnew).finally(() => {
			running = null;
		});
		return running;
	};
	return {
		fresh,
		read: async () => fresh() ?? (await begin()),
		async readAnew() {
			await running?.catch(() => undefined);
			return await begin();
		},
	};
}
