/**
 * The meaning of a stock code, derived from the code and its descriptions. See README.md, "What is read into the file".
 */

/** Codes of goods: five digits, then perhaps a letter or two for the variant. */
const GOODS_NUMBER = /^\d{5}/;
/** Words for money or paper instead of goods. */
const CHARGE_WORDS =
	/\b(postage|carriage|discount|manual|charges?|fee|samples?|vouchers?|commission|bad debt|adjust(ment)?)\b/i;
/**
 * Codes of charges without a description: a word of up to four letters, `gift_…`, or a name ending in FEE or CHARGES.
 */
const SHORT_WORD = /^[a-z]{1,4}$/i;
const CHARGE_CODE = /^gift_|fee$|charges?$|^post$/i;

/** Whether this code is a physical SKU. Otherwise it is a fee, a discount or a voucher: `tracks_inventory: false`. */
export function isPhysical(code: string, descriptions: Iterable<string>): boolean {
	if (GOODS_NUMBER.test(code)) return true;
	if (CHARGE_CODE.test(code) || SHORT_WORD.test(code)) return false;
	for (const text of descriptions) if (CHARGE_WORDS.test(text)) return false;
	return true;
}

const PACK = /\b(?:set|pack|box) ?(?:of|\/) ?(\d+)\b/i;
/** Larger packs count as one unit. */
const LARGEST_PACK = 12;

/** Units of the formula in one SKU: "SET OF 6 …" is six. 1 if the description names no number. */
export function unitsPerPack(description: string): number {
	const units = Number(PACK.exec(description)?.[1] ?? 1);
	return units >= 1 && units <= LARGEST_PACK ? units : 1;
}
