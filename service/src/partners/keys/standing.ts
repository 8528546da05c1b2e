import type { Caller, Standing } from "../http/caller.ts";
import type { CachedKey, KeyCache, StoredSecret } from "./key-cache.ts";
import type { RefreshKeys } from "./refresh-keys.ts";

type WhyEnded = "revoked" | "expired" | "suspended" | "drill";

/** Why a key is not in force; null: it is. `now`: epoch milliseconds by the database's clock. */
export function whyEnded(key: CachedKey, now: number): WhyEnded | null {
	if (key.revokeAt !== null && key.revokeAt <= now) return "revoked";
	if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
	if (key.suspended) return "suspended";
	return key.drillUntil !== null && key.drillUntil > now ? "drill" : null;
}

/** Not rotated out, or still in its overlap. */
export const isAlive = ({ expiresAt }: StoredSecret, now: number): boolean => expiresAt === null || expiresAt > now;

/** The standing of a key just found valid with `secret`, the one that was presented. */
export const createStanding = (cache: KeyCache, refresh: RefreshKeys, key: CachedKey, secret: StoredSecret): Standing =>
	new KeyStanding(cache, refresh, key, secret, null);

/** The standing of such a key for what it may do while it is refused for a drill. */
export const createDrillStanding: typeof createStanding = (cache, refresh, key, secret) =>
	new KeyStanding(cache, refresh, key, secret, "drill");

/** A class, because every request creates one: five fields and no closure. */
class KeyStanding implements Standing {
	readonly caller: Caller;
	readonly #cache: KeyCache;
	readonly #refresh: RefreshKeys;
	#key: CachedKey;
	#secret: StoredSecret | undefined;
	/** A reason for ending that does not end this standing; null: there is none. */
	readonly #despite: WhyEnded | null;

	constructor(cache: KeyCache, refresh: RefreshKeys, key: CachedKey, secret: StoredSecret, despite: WhyEnded | null) {
		this.caller = key.caller;
		this.#cache = cache;
		this.#refresh = refresh;
		this.#key = key;
		this.#secret = secret;
		this.#despite = despite;
	}

	inForce(): boolean | "stale" {
		return this.#cache.fresh() ? this.#judge() : "stale";
	}

	isUnkind(): boolean {
		const { unkindUntil, caller } = this.#key;
		return unkindUntil !== null && caller.environment === "sandbox" && unkindUntil > this.#cache.databaseNow();
	}

	async confirm(): Promise<boolean> {
		await this.#refresh(this.caller.pk);
		return this.#judge();
	}

	#judge(): boolean {
		const key = this.#cache.find(this.caller.pk);
		const secret = this.#secret;
		if (key === undefined || secret === undefined) return false;
		if (key !== this.#key) {
			// a changed key is read again: the same secret is another object in it, or is gone
			this.#key = key;
			this.#secret = key.secrets.find((one) => one.pepperId === secret.pepperId && one.digest.equals(secret.digest));
		}
		const now = this.#cache.databaseNow();
		if (this.#secret === undefined || !isAlive(this.#secret, now)) return false;
		const why = whyEnded(key, now);
		return why === null || why === this.#despite;
	}
}
