import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";

/** Where the pages about error codes stand, below the address of the API. */
const ERROR_PAGES = "/docs/errors/";

/** Leads from every error to the page about its code (settlements, section 12). */
export interface HelpLinks {
	/** The value of the header `Link` for a code. */
	of(code: ErrorCode): string;
	/** The public address of the API; empty: it is not known yet. */
	address(): string;
	/** From now on the pages stand below this address: it is known when the API is bound. */
	standAt(url: string): void;
}

/**
 * The links of each code, written once. `url` is the public address of the API; null: it is not known yet, and until it
 * is the links are relative to the address that was asked.
 */
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

const linksBelow = (url: string): { readonly [C in ErrorCode]: string } => {
	const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
	const entries = codes.map((code) => [code, `<${url}${ERROR_PAGES}${code}>; rel="help"`] as const);
	return Object.fromEntries(entries) as { [C in ErrorCode]: string };
};
