import type { Catalogue, Kit } from "./catalogue.ts";
import { chance, choose } from "./chance.ts";
import { brandOf, type Channel, channelOf, homeOf } from "./channels.ts";
import type { Invoice, InvoiceKind } from "./invoices.ts";
import { type Line, split } from "./split.ts";

/** How a hold ends: sold; released by the partner; forgotten until it expires; sold and taken back. */
export type Fate = "consume" | "release" | "expire" | "reverse";
const FATES: Readonly<Record<Fate, number>> = { consume: 82, release: 6, expire: 5, reverse: 7 };

/** Which request loses its connection after it was sent: the reserve, the one that ends the hold, both or none. */
export type Cut = "none" | "reserve" | "end" | "both";
const CUTS: Readonly<Record<Cut, number>> = { none: 88, reserve: 5, end: 5, both: 2 };

/** Share of invoices with all parts of a kit that order the kit instead. */
const KIT_SHARE = 0.5;
/** Share of sales with a fee on them that try to reserve the fee too, and get `invalid_item`. */
const FEE_MISTAKES = 0.1;
/** Minutes. The minimum that the service accepts. */
const SHORT_TTL = 1;
/** Minutes, 14 days: such a hold needs lots that are still in date then. */
const LONG_TTL = 14 * 24 * 60;
const LONG_SHARE = 0.03;

/** One reserve and what follows. */
export interface Part {
	/** The `external_ref` of the reserve and of the consume. */
	readonly ref: string;
	readonly lines: readonly Line[];
	readonly fate: Fate;
	readonly cut: Cut;
	/** Undefined: the service's default of 30. */
	readonly ttlMinutes: number | undefined;
}

/** An invoice as its partner will execute it. */
export interface Order {
	readonly number: string;
	readonly kind: InvoiceKind;
	readonly at: string;
	readonly customer: string;
	/** As the file names it. */
	readonly country: string;
	readonly channel: Channel;
	/** The brand whose stock is drawn on first; null for the shared stock alone. */
	readonly brand: string | null;
	readonly parts: readonly Part[];
	/** Non-physical codes that the partner includes in the first reserve by mistake. */
	readonly mistakes: readonly string[];
	/** The returned goods of a cancellation. */
	readonly returns: readonly Line[];
}

/** Every invoice as an order, in time order. Invoices with only non-physical codes have neither parts nor returns. */
export function toOrders(invoices: readonly Invoice[], catalogue: Catalogue, seed: number): Order[] {
	const home = homeOf(invoices);
	return invoices.map((invoice) => toOrder(invoice, channelOf(invoice, home, seed), catalogue, seed));
}

function toOrder(invoice: Invoice, channel: Channel, catalogue: Catalogue, seed: number): Order {
	const { number, kind, at, customer, country } = invoice;
	const physical = ({ code }: { code: string }) => catalogue.articles.get(code)?.kind === "single";
	const goods = invoice.lines.filter(physical).map((line): Line => ({ sku: line.code, qty: line.quantity }));
	const fees = [...new Set(invoice.lines.filter((line) => !physical(line)).map((line) => line.code))];
	const sold =
		kind === "sale"
			? withKits(goods, catalogue.kits, (kit) => chance(seed, `${kit.sku} ${number}`) < KIT_SHARE)
			: goods;
	const errs = kind === "sale" && goods.length > 0 && chance(seed, `fee ${number}`) < FEE_MISTAKES;
	const parts =
		kind === "cancellation"
			? []
			: split(sold).map((lines, i) => toPart(`${kind}-${number}-${i + 1}`, lines, kind, seed));
	const brand = brandOf(channel, customer, seed);
	const returns = kind === "cancellation" ? goods : [];
	return { number, kind, at, customer, country, channel, brand, parts, mistakes: errs ? fees : [], returns };
}

function toPart(ref: string, lines: readonly Line[], kind: InvoiceKind, seed: number): Part {
	const fate = kind === "sale" ? choose(seed, `fate ${ref}`, FATES) : "consume";
	const long = chance(seed, `ttl ${ref}`) < LONG_SHARE;
	const ttlMinutes = fate === "expire" ? SHORT_TTL : long ? LONG_TTL : undefined;
	return { ref, lines, fate, cut: choose(seed, `cut ${ref}`, CUTS), ttlMinutes };
}

/** The lines with each wanted kit, as often as its parts allow, in place of those parts. */
export function withKits(lines: readonly Line[], kits: readonly Kit[], wanted: (kit: Kit) => boolean): Line[] {
	let left = [...lines];
	for (const kit of kits) {
		const total = (sku: string) => left.reduce((sum, line) => sum + (line.sku === sku ? line.qty : 0), 0);
		const count = Math.min(...kit.parts.map((part) => Math.floor(total(part.sku) / part.count)));
		if (count === 0 || !wanted(kit)) continue;
		for (const part of kit.parts) left = without(left, part.sku, count * part.count);
		left.push({ sku: kit.sku, qty: count });
	}
	return left;
}

function without(lines: readonly Line[], sku: string, qty: number): Line[] {
	let gone = qty;
	return lines.flatMap((line) => {
		const taken = line.sku === sku ? Math.min(gone, line.qty) : 0;
		gone -= taken;
		return line.qty > taken ? [{ ...line, qty: line.qty - taken }] : [];
	});
}
