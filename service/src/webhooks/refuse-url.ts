import { type Refusal, refuse } from "../lib/refusal.ts";
import { wrongInUrl } from "./address-rules.ts";
import { type ConnectRules, permittedAddresses } from "./guarded-connect.ts";

/** What decides where may be posted to. */
export type UrlRules = Pick<ConnectRules, "allowed" | "lookUp">;

/**
 * Refuses a URL that nothing could be posted to at this moment. What its name leads to is judged again at every connection. It says no more
 * than that: what names mean inside of the operator's network is nobody's business.
 */
export async function refuseUrl(rules: UrlRules, text: string): Promise<Refusal<"invalid_input"> | undefined> {
	const wrong = wrongInUrl(text);
	if (wrong !== null) return refuse("invalid_input", `/url: ${wrong}`);
	const { protocol, hostname } = new URL(text);
	const addresses = await permittedAddresses(rules, protocol, hostname).catch(() => []);
	if (addresses.length > 0) return undefined;
	const expected = "expected an https:// address whose host has a public internet address";
	return refuse("invalid_input", `/url: ${expected}`);
}
