import type { ByteRange } from "./file-store.ts";

/**
 * The one part that a header `Range` asks for; null: the whole, also when it asks for what nobody must give (RFC 9110,
 * section 14.2).
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null {
	const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
	if (from === undefined || to === undefined || (from === "" && to === "")) return null;
	const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
	const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
	return first <= last ? { first, last } : null;
}
