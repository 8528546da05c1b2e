import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";
import { isEverywhere } from "./reached-at.ts";

/** Path of the pages about error codes, below the address of the API. */
const ERROR_PAGES = "/docs/errors/";

/** Links every error to the page about its code (settlements, section 12). */
export interface HelpLinks {
	/** The value of the header `Link` for a code. */
	of(code: ErrorCode): string;
	/** The public address of the API; empty until it is known. */
	address(): string;
	/** Sets the public address, once the API is bound. */
	standAt(url: string): void;
}

/** Builds the link of each code once. `url`: the API's public address; if null, links are relative. */
export function createHelpLinks(url: string | null = null): HelpLinks {
	let address = url ?? "";
	let links = linksBelow(address);
	return {
		of: (code) => links[code],
		address: () => address,
		standAt(known) {
			address = known;
			links = linksBelow(known);
		},
	};
}

/** Below an address that names no machine they are relative. */
const linksBelow = (address: string): { readonly [C in ErrorCode]: string } => {
	const url = isEverywhere(address) ? "" : address;
	const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
	const entries = codes.map((code) => [code, `<${url}${ERROR_PAGES}${code}>; rel="help"`] as const);
	return Object.fromEntries(entries) as { [C in ErrorCode]: string };
};
