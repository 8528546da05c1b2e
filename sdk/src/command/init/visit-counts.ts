import { shown } from "../../client/count.ts";
import { HoldfastError } from "../../client/errors.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import { plural, thereAre } from "../terminal.ts";
import type { Tour } from "./tour.ts";

const COUNT = { unknown: "an unknown number", untracked: "no number" };

/** What can be read before anything is promised to a customer. */
export async function visitCounts(tour: Tour, holdfast: Holdfast): Promise<void> {
	await tour.visit(
		"versions.list",
		"The API dates, one of which every request names.",
		() => holdfast.versions.list(),
		(versions) => `It accepts ${versions.map(({ version }) => version).join(", ")}.`,
	);
	await tour.visit(
		"products.list",
		"Every SKU that you may sell, with its counts: a mirror reads it at least every 5 minutes.",
		() => all(holdfast.products.list({ limit: 500 })),
		(products) => {
			const [first] = products;
			const example =
				first === undefined ? "" : `, such as ${first.sku} with ${shown(first.availability.atpQty, COUNT)}`;
			return `You may sell ${plural(products.length, "SKU")}${example}.`;
		},
	);
	await tour.visit(
		"check",
		"What one reserve of each line would be granted now, without holding it.",
		() =>
			holdfast.check([
				{ sku: "SBX-LOW", qty: 1 },
				{ sku: "NO-SUCH-SKU", qty: 1 },
			]),
		([low, none]) =>
			`SBX-LOW has ${low ? shown(low.atpQty, COUNT) : "no line"}; a SKU that does not exist is ${none?.atpQty.kind}, which is not 0.`,
	);
	await tour.visit(
		"inventory.get",
		"The counts of one SKU, by pool and in total.",
		() => holdfast.inventory.get({ sku: "SBX-LOW" }),
		({ totals }) =>
			`Of SBX-LOW ${shown(totals.onHand, COUNT)} are on hand, and ${shown(totals.atp, COUNT)} are available.`,
	);
	await tour.visit(
		"inventory.summary",
		"What can be shipped for your brand, a row for each formula.",
		() => all(holdfast.inventory.summary({ limit: 500 })),
		(rows) => thereAre(rows.length, "row"),
	);
	await tour.visit(
		"receipts.list",
		"Units received into your brand's stock, by lot and day.",
		() => all(holdfast.receipts.list({ limit: 500 })),
		(rows) => thereAre(rows.length, "receipt"),
	);
}

/** Certificates of analysis, which have their own address. */
export async function visitCertificates(tour: Tour, holdfast: Holdfast, hasAddress: boolean): Promise<void> {
	if (!hasAddress) {
		const why = "Certificates have a separate address, which was not found: give it with --coa-url.";
		return tour.skip(why, "coa.list", "coa.lot", "coa.csv", "coa.lookup");
	}
	const certificates = await tour.visit(
		"coa.list",
		"Certificates in the order of their changes; with status all also those that were withdrawn, which you take down.",
		() => all(holdfast.coa.list({ status: "all", limit: 500 })),
		(items) => {
			const retired = items.filter(({ status }) => status === "retired").length;
			return `${thereAre(items.length, "certificate")} Withdrawn: ${retired}.`;
		},
	);
	const lot = certificates?.find(({ status }) => status === "current")?.batchNumber ?? "SANDBOX";
	await tour.visit(
		"coa.lot",
		"The certificates of one batch number.",
		() => holdfast.coa.lot(lot),
		(items) => `Batch ${lot} has ${plural(items.length, "certificate")}.`,
	);
	await tour.visit(
		"coa.csv",
		"The same list as CSV, for a spreadsheet.",
		() => new Response(holdfast.coa.csv({ status: "all" })).text(),
		(text) => `It has ${plural(text.trimEnd().split("\n").length - 1, "row")}.`,
	);
	await tour.visit(
		"coa.lookup",
		"What a buyer may know of a lot number; it needs no key.",
		() => holdfast.coa.lookup(lot),
		({ state }) => `The state of ${lot} is ${state}.`,
	);
}

export async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
	const items: T[] = [];
	for await (const item of list) items.push(item);
	return items;
}

/** For operations that may answer `not_found`. */
export function orNull(error: unknown): null {
	if (error instanceof HoldfastError && error.code === "not_found") return null;
	throw error;
}
