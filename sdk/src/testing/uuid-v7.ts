const BYTES = 16;
/** Bytes of the time. */
const TIME_BYTES = 6;

/** A UUID of version 7 (RFC 9562, section 5.7), for platforms whose `node:crypto` makes none. */
export function randomUUIDv7(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
	let ms = Date.now();
	for (let at = TIME_BYTES - 1; at >= 0; at--) {
		bytes[at] = ms % 256;
		ms = Math.floor(ms / 256);
	}
	bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
	bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
	const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
