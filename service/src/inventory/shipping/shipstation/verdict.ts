import type { PlatformAnswer } from "./client.ts";
import { readErrors, type TheirCreation, type TheirError } from "./wire.ts";

/** What an answer to a creation that made no shipment means. */
export type CreationVerdict =
	/** There is one under this external id already. */
	| { readonly verdict: "exists" }
	| { readonly verdict: "address_refused" | "refused"; readonly detail: string }
	/** The platform is not well, or does not accept our key: the same may succeed later. */
	| { readonly verdict: "later"; readonly detail: string; readonly afterMs: number };

/** Milliseconds after which a platform that failed is asked again. */
const UNWELL_MS = 15_000;
/** The same where a person must do something first: the key is not accepted. */
const LOCKED_OUT_MS = 600_000;
/** Characters of the platform's words that are kept for the operator. */
const MAX_DETAIL = 300;

const ADDRESS_WORDS = /\b(ship_to|address\w*|postal_code|state_province|city_locality|country_code)\b/i;
const ID_WORDS = /external_shipment_id|external shipment id/i;
const TAKEN_WORDS = /already|exist|unique|duplicate|conflict/i;

/** Of an answer whose status is no success. */
export function verdictOnStatus({ status, body }: PlatformAnswer): CreationVerdict {
	if (status === 401 || status === 403) {
		return {
			verdict: "later",
			detail: `the platform answered ${status}: it does not accept the key`,
			afterMs: LOCKED_OUT_MS,
		};
	}
	if (status < 400 || status >= 500 || status === 408 || status === 425) {
		return { verdict: "later", detail: `the platform answered ${status}`, afterMs: UNWELL_MS };
	}
	return verdictOnErrors(readErrors(body), `the platform answered ${status}`);
}

/** Of a success that names errors for the one shipment it was asked to make. */
export function verdictOnCreation({ errors }: TheirCreation): CreationVerdict {
	const named = errors.map((message) => ({ code: "unspecified", message }));
	return verdictOnErrors(named, "the platform made no shipment and does not say why");
}

function verdictOnErrors(errors: readonly TheirError[], otherwise: string): CreationVerdict {
	if (errors.some(isTakenId)) return { verdict: "exists" };
	// of an address its partner is told; whatever else was wrong is for the operator
	const ofAddress = errors.filter(isAddress);
	const told = ofAddress.length > 0 ? ofAddress : errors;
	const detail = cut(told.map(({ message }) => message).join(" ") || otherwise);
	return { verdict: ofAddress.length > 0 ? "address_refused" : "refused", detail };
}

const isTakenId = ({ code, message }: TheirError): boolean =>
	code === "identifier_conflict" || (ID_WORDS.test(message) && TAKEN_WORDS.test(message));

const isAddress = ({ code, message }: TheirError): boolean => code === "invalid_address" || ADDRESS_WORDS.test(message);

export const cut = (text: string): string => [...text].slice(0, MAX_DETAIL).join("");
