import type { ShipTo } from "./order.ts";

const FIELDS = ["name", "company", "line1", "line2", "city", "state", "postal_code", "country"] as const;

/** Ignores case and repeated white space, and uses Unicode's composed form (settlements, section 7). */
const plain = (text: string | undefined): string =>
	(text ?? "").normalize("NFC").trim().replace(/\s+/g, " ").toLowerCase();

/** Whether a parcel to one address would reach the other. */
export const isSameAddress = (a: ShipTo, b: ShipTo): boolean =>
	FIELDS.every((field) => plain(a[field]) === plain(b[field]));
