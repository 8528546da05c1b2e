import type { Count } from "../../client/count.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import { command } from "../command.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { ACCESS, clientOf, readVariables, settingsOf } from "../settings.ts";
import { instant, plural, print, table } from "../terminal.ts";
import { compareCertificates, compareCounts, type Difference, inWords } from "./compare.ts";
import { readShown, type Shown } from "./read-shown.ts";
import { isAddress, readSource } from "./read-source.ts";

/** Maximum lines of one check (contract, limits). */
const MOST_LINES = 100;
/** Maximum number of SKUs that a status address may list (guide: going live). */
const MOST_ITEMS = 500;

export const mirrorCheck = command({
	takes: ["FILE|URL"],
	about: [
		"Compares what your site shows with the service: a CSV with the columns sku and shown_qty (or qty), a status document",
		"in a file, or your status address. A status document's certificates are compared too. An empty or null quantity means",
		"that no number is shown, and is never taken for 0. Exits 1 if anything differs.",
	].join("\n"),
	example: "mirror check https://shop.example.com/status.json",
	options: ACCESS,
	async run({ json, ...given }, source = "") {
		const settings = settingsOf(given, await readVariables());
		const holdfast = clientOf(settings);
		const items = itemsOf(source, await readSource(source));
		const counts = await readCounts(holdfast, items);
		const asOf = new Date();
		const saysCertificates = items.some(({ coaUrl }) => coaUrl !== undefined);
		const certificates = !saysCertificates ? "not_given" : settings.coaUrl === undefined ? "no_address" : "compared";
		const differences = [
			...compareCounts(items, counts),
			...(certificates === "compared" ? compareCertificates(items, await readDocuments(holdfast)) : []),
		];
		print({ source, asOf, skus: items.length, certificates, differences }, json, () =>
			describe(source, asOf, items.length, certificates === "no_address", differences),
		);
		return differences.length === 0 ? EXIT.ok : EXIT.different;
	},
});

/** What a source shows. @throws CommandFailure `unreadable` */
function itemsOf(source: string, text: string): readonly Shown[] {
	const read = readShown(text);
	const tooMany = `It lists more than ${MOST_ITEMS} SKUs, the most that a go-live run reads.`;
	const isTooLong = "items" in read && isAddress(source) && read.items.length > MOST_ITEMS;
	if ("items" in read && !isTooLong) return read.items;
	const problems = "problems" in read ? read.problems : [tooMany];
	throw new CommandFailure(EXIT.different, "unreadable", `${source} cannot be compared:\n${problems.join("\n")}`);
}

/** What one reserve of each would be granted now, in the order of the items. */
async function readCounts(holdfast: Holdfast, items: readonly Shown[]): Promise<Count[]> {
	const counts: Count[] = [];
	for (let from = 0; from < items.length; from += MOST_LINES) {
		const lines = items.slice(from, from + MOST_LINES).map(({ sku }) => ({ sku, qty: 1 }));
		counts.push(...(await holdfast.check(lines)).map(({ atpQty }) => atpQty));
	}
	return counts;
}

/** The current certificates of each SKU's product. */
async function readDocuments(holdfast: Holdfast): Promise<Map<string, string[]>> {
	const bySlug = new Map<string, string[]>();
	for await (const { product, certificateUrl } of holdfast.coa.list({ status: "current", limit: 500 })) {
		bySlug.set(product.slug, [...(bySlug.get(product.slug) ?? []), certificateUrl]);
	}
	const documents = new Map<string, string[]>();
	for await (const { sku, slug } of holdfast.products.list({ limit: 500 }))
		documents.set(sku, bySlug.get(slug ?? "") ?? []);
	return documents;
}

function describe(
	source: string,
	asOf: Date,
	skus: number,
	lacksAddress: boolean,
	differences: readonly Difference[],
): string {
	const compared = `${source}: ${plural(skus, "SKU")} compared with the service at ${instant(asOf)}`;
	const note = lacksAddress ? ["Certificates were not compared: set HOLDFAST_COA_URL (or --coa-url)."] : [];
	if (differences.length === 0) return [`${compared}: all is equal.`, ...note].join("\n");
	const rows = differences.map((one) => [one.sku, one.about, ...inWords(one), one.says]);
	return [
		`${compared}: ${plural(differences.length, "difference")}.`,
		"",
		table([["SKU", "ABOUT", "SHOWN", "SERVICE", "TO DO"], ...rows]),
		"",
		"A mirror may be five minutes behind: run this again before you look for a fault.",
		...note,
	].join("\n");
}
