/** Characters of a text that are printed at most: more would push everything else off the page. */
export const MAX_PRINTED_LENGTH = 500;
/** The same for the note of an order. */
export const MAX_PRINTED_NOTE_LENGTH = 2_000;

/** What stands for a character that the font does not have. */
const REPLACEMENT = "\ufffd";
/** Marks that take no place of their own and that a reader does not miss: directions, variants, places to break. */
const SILENT = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Variation_Selector}/gu;

/**
 * A text as it can be printed: composed, white space as single spaces, cut to length, and every character that `prints`
 * says the font lacks replaced, once for each character that a reader would count. Pure.
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
