import { chance, choose } from "./chance.ts";
import { kitsOf } from "./order-file.ts";
import type { Line } from "./split.ts";
import type { Lot, Stock } from "./stock.ts";

/**
 * How the warehouse handles an order: ships all of it at once, ships it in two boxes, ships only the first of two, only
 * picks it, or does nothing.
 */
export type Way = "whole" | "parts" | "first part" | "picked" | "nothing";
const WAYS: Readonly<Record<Way, number>> = { whole: 77, parts: 15, "first part": 2, picked: 3, nothing: 3 };

/** Boxes that turn out never to have left: they are shipped again, or stay. */
export type Mistake = "none" | "shipped again" | "stays";
const MISTAKES: Readonly<Record<Mistake, number>> = { none: 97, "shipped again": 2, stays: 1 };

/** Share of orders that the operator puts on hold; and of these the share that is released. */
const HOLD_SHARE = 0.03;
const RELEASE_SHARE = 0.8;
/** Share of boxes whose label is made before they leave. */
const LABEL_SHARE = 0.2;
/** Invoices that begin before the warehouse handles an order. */
const SOONEST = 20;
const LATEST = 300;

export interface Work {
	readonly way: Way;
	readonly mistake: Mistake;
	readonly hold: boolean;
	readonly release: boolean;
	readonly label: boolean;
	/** Invoices that begin before the warehouse handles it. */
	readonly delay: number;
}

export const workOf = (seed: number, ref: string): Work => ({
	way: choose(seed, `way ${ref}`, WAYS),
	mistake: choose(seed, `mistake ${ref}`, MISTAKES),
	hold: chance(seed, `operator holds ${ref}`) < HOLD_SHARE,
	release: chance(seed, `operator releases ${ref}`) < RELEASE_SHARE,
	label: chance(seed, `label ${ref}`) < LABEL_SHARE,
	delay: SOONEST + Math.floor(chance(seed, `delay ${ref}`) * (LATEST - SOONEST)),
});

/**
 * About half of an order, for the first of two boxes: every second SKU, or half of the only one; null: it cannot be
 * halved.
 */
export function firstPartOf(lines: readonly Line[]): Line[] | null {
	const kits = [...kitsOf(lines)].map(([sku, qty]) => ({ sku, qty }));
	const [only] = kits;
	if (kits.length > 1) return kits.filter((_, i) => i % 2 === 0);
	if (only === undefined || only.qty < 2) return null;
	return [{ sku: only.sku, qty: Math.floor(only.qty / 2) }];
}

/** One lot in this many is recalled. */
const LOTS_PER_RECALL = 100;
/** Number of rounds of recalls, evenly over the run. */
export const RECALL_ROUNDS = 8;

/** The lots to recall, by round. Lots past their date are excluded, because nobody can have units of them. */
export function recallsOf({ lots, expired }: Pick<Stock, "lots" | "expired">, seed: number): Lot[][] {
	const rounds: Lot[][] = Array.from({ length: RECALL_ROUNDS }, () => []);
	for (const lot of lots) {
		if (expired.has(lot) || chance(seed, `recall ${lot.batch_number}`) >= 1 / LOTS_PER_RECALL) continue;
		rounds[Math.floor(chance(seed, `round of ${lot.batch_number}`) * RECALL_ROUNDS)]?.push(lot);
	}
	return rounds;
}

/**
 * What happens to an order that a recall put on hold: missing units are received, its partner cancels it, or it waits.
 */
export type Remedy = "restock" | "cancel" | "wait";
const REMEDIES: Readonly<Record<Remedy, number>> = { restock: 50, cancel: 30, wait: 20 };

export const remedyOf = (seed: number, ref: string): Remedy => choose(seed, `remedy ${ref}`, REMEDIES);
