import type { ListedKey } from "./list-keys.ts";

/** A key as operators see it. */
export const keyReply = (key: ListedKey) => ({
	key_id: key.keyId,
	pk: key.pk,
	name: key.name,
	partner: key.partner,
	environment: key.environment,
	brand_code: key.brandCode,
	shared_pool: key.sharedPool,
	scopes: key.scopes,
	requests_per_minute: key.requestsPerMinute,
	max_held_units: key.maxHeldUnits,
	state: key.state,
	created_at: key.createdAt.toISOString(),
	expires_at: key.expiresAt?.toISOString() ?? null,
	revoke_at: key.revokeAt?.toISOString() ?? null,
	drill_until: key.drillUntil?.toISOString() ?? null,
	golive_report: key.goLiveReport,
	secrets: key.secrets.map(({ createdAt, expiresAt }) => ({
		created_at: createdAt.toISOString(),
		expires_at: expiresAt?.toISOString() ?? null,
	})),
});
