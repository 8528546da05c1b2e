/** What a stock code stands for, told from the code and its descriptions. README.md, "What is read into the file". */

/** Goods are numbered: five digits, then perhaps a letter or two for the variant. */
const GOODS_NUMBER = /^\d{5}/;
/** Words that name money or paper, not a thing on a shelf. */
const CHARGE_WORDS =
	/\b(postage|carriage|discount|manual|charges?|fee|samples?|vouchers?|commission|bad debt|adjust(ment)?)\b/i;
/** The codes of such things when nobody described them: a word of up to four letters, or one that says it itself. */
const SHORT_WORD = /^[a-z]{1,4}$/i;
const CHARGE_CODE = /^gift_|fee$|charges?$|^post$/i;

/**
 * Is this code a thing on a shelf (a physical SKU)? Otherwise it is a fee, a discount, a voucher: `tracks_inventory:
 * false`.
 */
export function isPhysical(code: string, descriptions: Iterable<string>): boolean {
	if (GOODS_NUMBER.test(code)) return true;
	if (CHARGE_CODE.test(code) || SHORT_WORD.test(code)) return false;
	for (const text of descriptions) if (CHARGE_WORDS.test(text)) return false;
	return true;
}

const PACK = /\b(?:set|pack|box) ?(?:of|\/) ?(\d+)\b/i;
/** Larger packs are made and sold as one thing. */
const LARGEST_PACK = 12;

/** Units of the formula in one SKU: "SET OF 6 …" is six. 1 when the description does not say. */
export function unitsPerPack(description: string): number {
	const units = Number(PACK.exec(description)?.[1] ?? 1);
	return units >= 1 && units <= LARGEST_PACK ? units : 1;
}
