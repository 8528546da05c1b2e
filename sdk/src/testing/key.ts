import { SANDBOX_BRAND, SCOPES, type Scope } from "../../../service/src/glossary.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import type { CachedKey, KeyCache } from "../../../service/src/partners/keys/key-cache.ts";
import { digestOf, type KeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import { DEFAULT_REQUESTS_PER_MINUTE, MAX_REQUESTS_PER_MINUTE } from "../../../service/src/partners/keys/limits.ts";
import { PRESETS } from "../../../service/src/partners/keys/scopes.ts";
import { newPk, newSk } from "../../../service/src/partners/keys/token.ts";
import { poolOf, SANDBOX_POOL_ID } from "./catalog.ts";
import type { KeyOptions, WorldOptions } from "./types.ts";

/** The brand of a live key, unless the world names another. */
const DEFAULT_BRAND = "BRAND";

/** The brands that a world names, besides the sandbox's. */
export function brandsOf({ key = {}, lots = [], promised = [] }: WorldOptions): string[] {
	const { brandCode = DEFAULT_BRAND } = key;
	const all = [brandCode, ...[...lots, ...promised].map((one) => one.brandCode ?? null)];
	return [...new Set(all.filter((brand) => brand !== null && brand !== SANDBOX_BRAND))] as string[];
}

/** The one key of a fake, and a cache that has it. */
export interface FakeKey {
	readonly token: string;
	readonly cache: KeyCache;
	/** As it was minted. */
	readonly key: CachedKey;
	/** As it is now. */
	current(): CachedKey;
	/** Changes the key; requests see it at once. */
	change(change: Partial<Pick<CachedKey, "suspended" | "revokeAt">>): void;
}

/** Mints the key as the operator would. `now`: milliseconds since 1970. */
export function mintFakeKey(world: WorldOptions, brands: readonly string[], ring: KeyRing, now: () => number): FakeKey {
	const { key: asked = {} } = world;
	const environment = asked.environment ?? environmentFor(world);
	const [pk, sk] = [newPk(environment), newSk(environment)];
	const secret = { digest: digestOf(sk, ring.current), pepperId: ring.current.id, expiresAt: null };
	let key: CachedKey = {
		caller: {
			keyId: newId(),
			pk,
			partnerId: newId(),
			environment,
			...boundTo(asked, environment, brands),
			scopes: scopesOf(asked.scopes),
			requestsPerMinute: perMinute(asked.requestsPerMinute),
			maxHeldUnits: asked.maxHeldUnits ?? null,
		},
		name: "fake",
		suspended: false,
		issuedAt: now(),
		expiresAt: null,
		revokeAt: null,
		drillUntil: null,
		unkindUntil: null,
		secrets: [secret],
	};
	const cache: KeyCache = {
		find: (half) => (half === pk ? key : undefined),
		fresh: () => true,
		refresh: async () => undefined,
		keepFresh: async () => undefined,
		databaseNow: now,
	};
	return {
		token: `${pk}:${sk}`,
		cache,
		key,
		current: () => key,
		change(change) {
			key = { ...key, ...change };
		},
	};
}

const environmentFor = ({ stock, skus }: WorldOptions): "live" | "sandbox" =>
	stock === undefined && skus === undefined ? "sandbox" : "live";

function boundTo(
	{ brandCode = DEFAULT_BRAND, sharedPool = false }: KeyOptions,
	environment: string,
	brands: readonly string[],
) {
	if (environment === "sandbox") return { brandCode: SANDBOX_BRAND, poolId: SANDBOX_POOL_ID, sharedPool: false };
	return { brandCode, poolId: brandCode === null ? null : poolOf(brandCode, brands), sharedPool };
}

function scopesOf(asked: KeyOptions["scopes"]): ReadonlySet<Scope> {
	if (asked === undefined) return new Set(SCOPES);
	const names: readonly Scope[] = typeof asked === "string" ? PRESETS[asked] : asked;
	const unknown = names.find((name) => !SCOPES.includes(name));
	if (unknown === undefined) return new Set(names);
	throw new Error(`there is no scope ${JSON.stringify(unknown)}; there are ${SCOPES.join(", ")}`);
}

const perMinute = (asked: number | null = DEFAULT_REQUESTS_PER_MINUTE): number => asked ?? MAX_REQUESTS_PER_MINUTE;
