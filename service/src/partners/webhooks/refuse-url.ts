import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { wrongInUrl } from "./address-rules.ts";
import { type ConnectRules, permittedAddresses } from "./guarded-connect.ts";

/** Maximum number of concurrent lookups for one partner before an address is saved. */
const LOOK_UPS_OF_ONE = 2;
/** Seconds after which a request beyond that may be sent again. */
const AGAIN_AFTER_SECONDS = 1;

export interface UrlRules extends Pick<ConnectRules, "allowed" | "lookUp"> {
	/** Limits each owner's concurrent lookups. */
	readonly places: OwnerPlaces;
}

export const createUrlRules = (rules: Omit<UrlRules, "places">): UrlRules => ({
	...rules,
	places: createOwnerPlaces(LOOK_UPS_OF_ONE),
});

/**
 * Refuses a URL that could not be posted to at this moment. Every later connection is judged again. The message
 * reveals no more than that, because names in the operator's network are confidential. `owner`: the owner of the
 * address.
 */
export async function refuseUrl(
	rules: UrlRules,
	text: string,
	owner: string,
): Promise<Refusal<"invalid_input" | "rate_limited"> | undefined> {
	const wrong = wrongInUrl(text);
	if (wrong !== null) return refuse("invalid_input", `/url: ${wrong}`);
	const { protocol, hostname } = new URL(text);
	const giveBack = rules.places.take(owner);
	if (giveBack === null) {
		const message = `${LOOK_UPS_OF_ONE} names of this partner are being looked up at this moment. Nothing was done: send the request again.`;
		return refuse("rate_limited", message, AGAIN_AFTER_SECONDS);
	}
	const addresses = await permittedAddresses(rules, protocol, hostname)
		.catch(() => [])
		.finally(giveBack);
	return addresses.length > 0 ? undefined : NOT_PUBLIC;
}

/** For an address without TLS, or one that leads to no public host. */
export const NOT_PUBLIC = refuse(
	"invalid_input",
	"/url: expected an https:// address whose host has a public internet address",
);

/** A limited number of places for each owner. */
export interface OwnerPlaces {
	/** Takes one of the owner's places and returns the function that gives it back; null if all are taken. */
	take(owner: string): (() => void) | null;
}

export function createOwnerPlaces(mostOfOne: number): OwnerPlaces {
	const taken = new Map<string, number>();
	return {
		take(owner) {
			const before = taken.get(owner) ?? 0;
			if (before >= mostOfOne) return null;
			taken.set(owner, before + 1);
			return () => {
				const left = (taken.get(owner) ?? 1) - 1;
				if (left > 0) taken.set(owner, left);
				else taken.delete(owner);
			};
		},
	};
}
