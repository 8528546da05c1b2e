import { type AllowedNetworks, allowedNetworks, bareHost, wrongInUrl } from "../../partners/webhooks/address-rules.ts";

/** The addresses of this machine. */
const LOOPBACK = allowedNetworks(["127.0.0.0/8", "::1/128"]);
const HERE = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Whether a URL names this machine itself: a name that only resolves to it does not. */
export const isHere = (url: string): boolean => HERE.test(bareHost(URL.parse(url)?.hostname ?? ""));

/**
 * The networks that a status address may be in besides the public ones (operator contract, section 6: https or
 * loopback). Only a URL that names this machine may lead to it.
 */
export const networksFor = (allowed: AllowedNetworks, url: string): AllowedNetworks =>
	isHere(url) ? [...allowed, ...LOOPBACK] : allowed;

/** The problem with the text of a status address; null: there is none. */
export const wrongInStatusUrl = (url: string): string | null => {
	const wrong = wrongInUrl(url);
	return wrong === null ? null : `/status_url: ${wrong}`;
};

export const NOT_REACHABLE =
	"/status_url: expected an https:// address whose host has a public internet address, or one of this machine, such as http://127.0.0.1:3000/status.json";
