const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 (RFC 4648) without padding. */
export function toBase32(bytes: Buffer): string {
	let bits = "";
	for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
	return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET.charAt(Number.parseInt(five.padEnd(5, "0"), 2))).join("");
}

/** The bytes of a text that `toBase32` returned. */
export function fromBase32(text: string): Buffer {
	const bits = [...text].map((character) => ALPHABET.indexOf(character).toString(2).padStart(5, "0")).join("");
	return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
