/** Lines in one reserve (contract, section 8). */
export const MAX_LINES = 100;
/** Quantity on one line (contract, section 8). */
export const MAX_QTY = 10_000;

/** A line within the service's limits. */
export interface Line {
	readonly sku: string;
	readonly qty: number;
}

/** Splits a line above the limit into several of the same SKU. */
const cutLine = (line: Line): Line[] =>
	Array.from({ length: Math.ceil(line.qty / MAX_QTY) }, (_, part) => ({
		...line,
		qty: Math.min(MAX_QTY, line.qty - part * MAX_QTY),
	}));

/** Splits an order into valid reserves: no line over MAX_QTY, no reserve over MAX_LINES. Keeps order and totals. */
export function split(lines: readonly Line[]): Line[][] {
	const pieces = lines.flatMap(cutLine);
	return Array.from({ length: Math.ceil(pieces.length / MAX_LINES) }, (_, part) =>
		pieces.slice(part * MAX_LINES, (part + 1) * MAX_LINES),
	);
}

/**
 * The lines that the counts allow, for a second attempt after `no_inventory`: each SKU's quantities are reduced, first
 * line first, to what `check` answered that a reserve would be granted.
 */
export function within(lines: readonly Line[], atp: ReadonlyMap<string, number>): Line[] {
	const left = new Map(atp);
	return lines.flatMap((line) => {
		const qty = Math.min(line.qty, left.get(line.sku) ?? 0);
		left.set(line.sku, (left.get(line.sku) ?? 0) - qty);
		return qty > 0 ? [{ ...line, qty }] : [];
	});
}
