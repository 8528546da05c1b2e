import { asReply } from "../../ground/lib/as-reply.ts";
import { type KeyState, keyStateAt } from "./key-state.ts";
import type { KeyRow } from "./sql.ts";

/** A key as the operator sees it, without its secrets. */
export interface ListedKey
	extends Pick<
		KeyRow,
		| "brandCode"
		| "environment"
		| "goLiveReport"
		| "keyId"
		| "maxHeldUnits"
		| "name"
		| "partner"
		| "pk"
		| "requestsPerMinute"
		| "scopes"
		| "sharedPool"
	> {
	readonly state: KeyState;
	readonly createdAt: Date;
	readonly expiresAt: Date | null;
	readonly revokeAt: Date | null;
	/** Until then it is refused for a drill of its go-live; null: it is not. */
	readonly drillUntil: Date | null;
	/** Secrets that still work, oldest first; `expiresAt` is the end of a rotation's overlap. */
	readonly secrets: readonly { createdAt: Date; expiresAt: Date | null }[];
}

/** A key as the operator sees it at a moment, in epoch milliseconds by the database's clock. */
export function listedKeyOf(key: KeyRow, nowMs: number): ListedKey {
	return {
		keyId: key.keyId,
		pk: key.pk,
		name: key.name,
		partner: key.partner,
		environment: key.environment,
		brandCode: key.brandCode,
		sharedPool: key.sharedPool,
		scopes: key.scopes,
		requestsPerMinute: key.requestsPerMinute,
		maxHeldUnits: key.maxHeldUnits,
		state: keyStateAt(key, nowMs),
		createdAt: new Date(key.createdAt),
		expiresAt: instant(key.expiresAt),
		revokeAt: instant(key.revokeAt),
		drillUntil: instant(key.drillUntil !== null && key.drillUntil > nowMs ? key.drillUntil : null),
		goLiveReport: key.goLiveReport,
		secrets: key.secrets
			.filter(({ expiresAt }) => expiresAt === null || expiresAt > nowMs)
			.map((secret) => ({ createdAt: new Date(secret.createdAt), expiresAt: instant(secret.expiresAt) })),
	};
}

const instant = (epochMs: number | null): Date | null => (epochMs === null ? null : new Date(epochMs));

export const keyReply = ({ goLiveReport: golive_report, ...key }: ListedKey) => ({ ...asReply(key), golive_report });
