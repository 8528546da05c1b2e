/** `pk_hf_<environment>_…:sk_hf_<environment>_…`; each half ends in a checksum of what is before it. */
const TOKEN = /^pk_hf_(live|sandbox)_[0-9A-Za-z]{23}:sk_hf_\1_[0-9A-Za-z]{49}$/;
const CHECKSUM_CHARACTERS = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The half of a token that may be shown. */
export const publicHalf = (token: string): string => token.split(":")[0] as string;

/**
 * Which half of a key has a typing error, or that it is not a key at all; null: it may be one. Does not reveal the
 * secret.
 */
export function tokenProblem(token: string): string | null {
	if (!TOKEN.test(token)) {
		return "This is not a complete key: expected pk_hf_…:sk_hf_…, both halves with a colon between them.";
	}
	const wrong = token
		.split(":")
		.find((half) => checksumOf(half.slice(0, -CHECKSUM_CHARACTERS)) !== half.slice(-CHECKSUM_CHARACTERS));
	if (wrong === undefined) return null;
	return `The ${wrong.startsWith("pk_") ? "public" : "secret"} half of the key has a typing error: its checksum does not fit. Copy it again.`;
}

export const environmentOf = (token: string): "live" | "sandbox" =>
	token.startsWith("pk_hf_live_") ? "live" : "sandbox";

function checksumOf(text: string): string {
	let [rest, digits] = [crc32(text), ""];
	for (let at = 0; at < CHECKSUM_CHARACTERS; at++) {
		digits = `${BASE62[rest % BASE62.length]}${digits}`;
		rest = Math.floor(rest / BASE62.length);
	}
	return digits;
}

/** CRC-32 as of IEEE 802.3; the oldest Node that the SDK runs on has no `zlib.crc32`. */
function crc32(text: string): number {
	let crc = -1;
	for (const byte of new TextEncoder().encode(text)) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
	}
	return ~crc >>> 0;
}
