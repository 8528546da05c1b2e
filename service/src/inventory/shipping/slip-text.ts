/** Most characters printed of a text; more would leave no room for the rest. */
export const MAX_PRINTED_LENGTH = 500;
/** The same for the note of an order. */
export const MAX_PRINTED_NOTE_LENGTH = 2_000;

/** Printed for a character that the font lacks. */
const REPLACEMENT = "\ufffd";
/** Invisible characters that are dropped: directions, variation selectors, break opportunities. */
const SILENT = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Variation_Selector}/gu;

/**
 * A text prepared for printing: composed, with single spaces, cut to length, and with characters that the font lacks
 * (according to `prints`) replaced, one replacement per visible character. Pure.
 */
export function printable(text: string, prints: (codePoint: number) => boolean, most = MAX_PRINTED_LENGTH): string {
	const plain = text
		.toWellFormed()
		.normalize("NFC")
		.replace(SILENT, "")
		.replace(/[\s\p{Cc}]+/gu, " ")
		.trim();
	const characters = [...graphemes.segment(plain)].map(({ segment }) => segment);
	const cut = characters.length > most ? [...characters.slice(0, most - 1), "…"] : characters;
	return cut
		.map((character) => ([...character].every((one) => prints(one.codePointAt(0) ?? 0)) ? character : REPLACEMENT))
		.join("");
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
