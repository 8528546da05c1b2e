/** The operators' commands on keys. The keys of guests come and go; those of partners are rotated and stay. */
import type { Actor } from "../../history.ts";
import type { Topic } from "../../knowledge.ts";
import { KEY_SCOPES, REQUESTS_PER_MINUTE } from "../../world.ts";
import type { Chore, Command, Situation } from "../room.ts";

/** The subject of a chore, as recorded in the history. */
export interface KeyErrand {
	readonly what: "mint" | "rotate" | "revoke";
	readonly key: string;
	/** For a rotation, the first secret that stays valid; for a revocation null, because none does. */
	readonly secretsBelow: number | null;
}

/** A usable token, and which of the key's secrets it contains. */
export interface Credential {
	readonly actor: Actor;
	readonly token: string;
	readonly secret: number;
	/** From this moment on it may be refused; Infinity: it is valid. */
	doubtedFrom: number;
}

/** Milliseconds for which a revoked key is still tried: it must always be refused. */
const TRIED_FOR_MS = 6_000;
const MOST_GUESTS = 5;

export class KeysKnown {
	readonly #guests = new Map<string, Credential>();
	/** New keys with their tokens; the runner registers them. */
	readonly fresh: Credential[] = [];
	#minted = 0;

	newName = (): string => `guest-${++this.#minted}`;

	/** Guests whose keys are valid. */
	good = (): Credential[] =>
		[...this.#guests.values()].filter(({ doubtedFrom }) => doubtedFrom === Number.POSITIVE_INFINITY);

	/** Guests to send requests as, including refused ones. */
	tried(now: number): Credential[] {
		for (const [name, { doubtedFrom }] of this.#guests) if (doubtedFrom + TRIED_FOR_MS < now) this.#guests.delete(name);
		return [...this.#guests.values()];
	}

	welcome(credential: Credential): void {
		this.#guests.set(`${credential.actor.name} ${credential.secret}`, credential);
		this.fresh.push(credential);
	}
}
export const KEYS: Topic<KeysKnown> = { name: "keys", make: () => new KeysKnown() };

type Wants = Omit<Situation, "actor">;

function mint({ knows, chance }: Wants): Command | null {
	const keys = knows.of(KEYS);
	if (keys.good().length >= MOST_GUESTS) return null;
	const key = keys.newName();
	const brand = chance.pick(["ACME", "BOLT"]);
	const about: KeyErrand = { what: "mint", key, secretsBelow: null };
	return {
		args: [
			"keys",
			"mint",
			"--name",
			key,
			"--partner",
			"Guests",
			"--environment",
			"live",
			"--brand",
			brand,
			"--scopes",
			KEY_SCOPES.join(","),
			"--shared-pool",
			"--requests-per-minute",
			String(REQUESTS_PER_MINUTE),
			"--json",
		],
		about,
		learn: ({ code }, printed) => {
			const { key_id: keyId, token } = (printed ?? {}) as { key_id?: string; token?: string };
			if (code !== 0 || !keyId || !token) return;
			const actor: Actor = { name: key, partner: "Guests", keyId, brand, shared: true, cap: null };
			keys.welcome({ actor, token, secret: 0, doubtedFrom: Number.POSITIVE_INFINITY });
		},
	};
}

function revoke({ knows, chance, now }: Wants): Command | null {
	const good = knows.of(KEYS).good();
	if (good.length === 0) return null;
	const guest = chance.pick(good);
	guest.doubtedFrom = now;
	const about: KeyErrand = { what: "revoke", key: guest.actor.name, secretsBelow: null };
	return { args: ["keys", "revoke", pkOf(guest), "--json"], about, learn: ({ end }) => (guest.doubtedFrom = end) };
}

/** Ends the earlier secrets at once. */
function rotate({ knows, chance, now }: Wants): Command | null {
	const keys = knows.of(KEYS);
	const good = keys.good();
	if (good.length === 0) return null;
	const guest = chance.pick(good);
	guest.doubtedFrom = now;
	const secret = guest.secret + 1;
	const about: KeyErrand = { what: "rotate", key: guest.actor.name, secretsBelow: secret };
	return {
		args: ["keys", "rotate", pkOf(guest), "--overlap-hours", "0", "--json"],
		about,
		learn: ({ code, end }, printed) => {
			guest.doubtedFrom = end;
			const { token } = (printed ?? {}) as { token?: string };
			if (code === 0 && token)
				keys.welcome({ actor: guest.actor, token, secret, doubtedFrom: Number.POSITIVE_INFINITY });
		},
	};
}

const pkOf = ({ token }: Credential): string => token.split(":")[0] ?? "";

export const KEY_CHORES: readonly Chore[] = [
	{ name: "mint", weight: 4, build: mint },
	{ name: "revoke", weight: 3, build: revoke },
	{ name: "rotate", weight: 1, build: rotate },
];
