import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { permittedAddresses } from "../../partners/webhooks/guarded-connect.ts";
import type { UrlRules } from "../../partners/webhooks/refuse-url.ts";
import { NOT_REACHABLE, networksFor, wrongInStatusUrl } from "./status-url.ts";

/** Refuses a status address that could not be read at this moment. Every later connection is judged again. */
export async function refuseStatusUrl(
	{ allowed, lookUp }: Pick<UrlRules, "allowed" | "lookUp">,
	url: string,
): Promise<Refusal<"invalid_input"> | undefined> {
	const wrong = wrongInStatusUrl(url);
	if (wrong !== null) return refuse("invalid_input", wrong);
	const { protocol, hostname } = new URL(url);
	const rules = { allowed: networksFor(allowed, url), lookUp };
	const addresses = await permittedAddresses(rules, protocol, hostname).catch(() => []);
	return addresses.length > 0 ? undefined : refuse("invalid_input", NOT_REACHABLE);
}
