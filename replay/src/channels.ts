import { chance } from "./chance.ts";
import type { Invoice } from "./invoices.ts";

/** A sales channel: one partner's key, the stock it draws on, and the customers it serves. */
export interface Channel {
	/** The key's name. */
	readonly name: string;
	readonly partner: string;
	/** The brand the key is bound to, or null for an unbound key. */
	readonly brand: string | null;
	readonly shared: boolean;
}

export const WEB: Channel = { name: "web", partner: "Web shop", brand: "WEB", shared: true };
export const EXPORT: Channel = { name: "export", partner: "Export house", brand: "EXPORT", shared: true };
/** Two keys of one partner on one brand, because a hold belongs to the key that made it. */
export const NORTH_1: Channel = { name: "north-1", partner: "North traders", brand: "NORTH", shared: true };
export const NORTH_2: Channel = { name: "north-2", partner: "North traders", brand: "NORTH", shared: true };
/** Its own stock only. */
export const SOUTH: Channel = { name: "south", partner: "South traders", brand: "SOUTH", shared: false };
/** The shared stock only. */
export const WHOLESALE: Channel = { name: "wholesale", partner: "Wholesale desk", brand: null, shared: true };
/** Names a brand on every line: that brand's stock first, then the shared stock. */
export const AGENT: Channel = { name: "agent", partner: "Travelling agent", brand: null, shared: true };
/** The manufacturer's own key, for write-offs. */
export const STOCKROOM: Channel = { name: "stockroom", partner: "Stockroom", brand: null, shared: true };

export const CHANNELS: readonly Channel[] = [WEB, EXPORT, NORTH_1, NORTH_2, SOUTH, WHOLESALE, AGENT, STOCKROOM];

export const BRANDS: readonly { code: string; name: string }[] = [
	{ code: "WEB", name: "Web shop" },
	{ code: "EXPORT", name: "Export" },
	{ code: "NORTH", name: "North" },
	{ code: "SOUTH", name: "South" },
];

const TRADERS = [NORTH_1, NORTH_2, SOUTH, WHOLESALE, AGENT] as const;
const AGENT_BRANDS = ["NORTH", "EXPORT", "WEB"] as const;

const pick = <T>(options: readonly T[], chanceOf: number): T => options[Math.floor(chanceOf * options.length)] as T;

/**
 * The channel of an invoice. A write-off belongs to the stockroom, an invoice without a customer number to the web
 * shop, and one from outside the file's most frequent country to export. The others are assigned by customer, so that
 * a cancellation uses the key that made the sale.
 */
export function channelOf(
	invoice: Pick<Invoice, "kind" | "customer" | "country">,
	home: string,
	seed: number,
): Channel {
	if (invoice.kind === "write_off") return STOCKROOM;
	if (invoice.customer === "") return WEB;
	if (invoice.country !== home) return EXPORT;
	return pick(TRADERS, chance(seed, `channel ${invoice.customer}`));
}

/** The brand whose stock an invoice draws on first: the key's own, the one the agent names, or none. */
export const brandOf = (channel: Channel, customer: string, seed: number): string | null =>
	channel === AGENT ? pick(AGENT_BRANDS, chance(seed, `agent ${customer}`)) : channel.brand;

/** The most frequent country of the invoices. */
export function homeOf(invoices: readonly Invoice[]): string {
	const counts = new Map<string, number>();
	for (const { country } of invoices) counts.set(country, (counts.get(country) ?? 0) + 1);
	return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}
