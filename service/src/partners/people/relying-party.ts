import { isIP } from "node:net";
import { LOOPBACK } from "./admin-url.ts";

/** The site that a passkey belongs to: browsers use it there and nowhere else (WebAuthn, section 4). */
export interface RelyingParty {
	/** Its host name. */
	readonly id: string;
	/** Where its pages come from. */
	readonly origin: string;
}

/** What is missing if there is none. */
export const NO_RELYING_PARTY =
	"Passkeys belong to a host name, and the address of this console has none. Set HOLDFAST_ADMIN_URL to an https address with a host name.";

/**
 * The relying party of the operator's API with this public address; null: browsers allow no passkeys there, because it
 * has no host name, or is read over http. A loopback address is `localhost`, the one that browsers trust over http.
 */
export function relyingPartyOf(adminUrl: string): RelyingParty | null {
	const { protocol, hostname, port, origin } = new URL(adminUrl);
	if (LOOPBACK.test(hostname)) {
		return { id: "localhost", origin: `${protocol}//localhost${port === "" ? "" : `:${port}`}` };
	}
	const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
	return isAddress || protocol !== "https:" ? null : { id: hostname, origin };
}
