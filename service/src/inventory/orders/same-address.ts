import type { ShipTo } from "./order.ts";

const FIELDS = ["name", "company", "line1", "line2", "city", "state", "postal_code", "country"] as const;

/** Without case and repeated white space, in the composed form of Unicode (settlements, section 7). */
const plain = (text: string | undefined): string =>
	(text ?? "").normalize("NFC").trim().replace(/\s+/g, " ").toLowerCase();

/** Would a parcel to one of them reach the other? */
export const isSameAddress = (a: ShipTo, b: ShipTo): boolean =>
	FIELDS.every((field) => plain(a[field]) === plain(b[field]));
