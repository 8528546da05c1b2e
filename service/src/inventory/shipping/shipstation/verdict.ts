import type { PlatformAnswer } from "./client.ts";
import { readErrors, type TheirCreation, type TheirError } from "./wire.ts";

/** The meaning of an answer to a creation that created no shipment. */
export type CreationVerdict =
	/** A shipment with this external id exists already. */
	| { readonly verdict: "exists" }
	| { readonly verdict: "address_refused" | "refused"; readonly detail: string }
	/** The platform has a problem or rejects our key; a retry may succeed. */
	| { readonly verdict: "later"; readonly detail: string; readonly afterMs: number };

/** Milliseconds until a retry after a failure of the platform. */
const UNWELL_MS = 15_000;
/** The same if an operator must act first because the key is rejected. */
const LOCKED_OUT_MS = 600_000;
/** Maximum characters of the platform's message that are stored for the operator. */
const MAX_DETAIL = 300;

const ADDRESS_WORDS = /\b(ship_to|address\w*|postal_code|state_province|city_locality|country_code)\b/i;
const ID_WORDS = /external_shipment_id|external shipment id/i;
const TAKEN_WORDS = /already|exist|unique|duplicate|conflict/i;

/** The verdict on an answer with an error status. */
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

/** The verdict on a success that reports errors for the one requested shipment. */
export function verdictOnCreation({ errors }: TheirCreation): CreationVerdict {
	const named = errors.map((message) => ({ code: "unspecified", message }));
	return verdictOnErrors(named, "the platform created no shipment and gave no reason");
}

function verdictOnErrors(errors: readonly TheirError[], otherwise: string): CreationVerdict {
	if (errors.some(isTakenId)) return { verdict: "exists" };
	// partners see only address errors; everything else is for the operator
	const ofAddress = errors.filter(isAddress);
	const told = ofAddress.length > 0 ? ofAddress : errors;
	const detail = cut(told.map(({ message }) => message).join(" ") || otherwise);
	return { verdict: ofAddress.length > 0 ? "address_refused" : "refused", detail };
}

const isTakenId = ({ code, message }: TheirError): boolean =>
	code === "identifier_conflict" || (ID_WORDS.test(message) && TAKEN_WORDS.test(message));

const isAddress = ({ code, message }: TheirError): boolean => code === "invalid_address" || ADDRESS_WORDS.test(message);

export const cut = (text: string): string => [...text].slice(0, MAX_DETAIL).join("");
