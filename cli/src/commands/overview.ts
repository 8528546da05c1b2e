import type { Command } from "commander";
import { callOperator, type DataOfCall } from "../client/operator-client.ts";
import { addCommand } from "../terminal/command.ts";
import { print, table } from "../terminal/output.ts";
import { nameOfOrder } from "./order-name.ts";

type Overview = DataOfCall<"get_overview">;

export function addOverview(program: Command): void {
	addCommand(
		program,
		"overview",
		"what needs attention: exceptions, boxes to ship, orders on hold, lots that expire, and more",
		"overview",
	).action(async ({ json }: { json?: true }) => {
		const overview = await callOperator("get_overview");
		print(overview, json, () => describe(overview));
	});
}

const describe = (overview: Overview): string =>
	[
		countsOf(overview),
		...[orders(overview), lots(overview), endpoints(overview), keys(overview), runs(overview)].filter(
			(part) => part !== null,
		),
	].join("\n\n");

function countsOf(overview: Overview): string {
	const { exceptions, boxes_to_ship: boxes, held_orders: held } = overview;
	return table(
		["", "", ""],
		[
			["open exceptions", many(exceptions), exceptions.by_kind.map(({ kind, n }) => `${n} ${kind}`).join(", ")],
			["boxes to ship", many(boxes), boxes.by_age.map(({ days, n }) => `${n} ${AGES[days] ?? ""}`).join(", ")],
			["orders on hold", many(held), held.by_reason.map(({ reason, n }) => `${n} ${reason}`).join(", ")],
			["lots that expire", many(overview.ending_lots), ""],
			["failing endpoints", many(overview.failing_endpoints), ""],
			["keys that end", many(overview.ending_keys), ""],
			["runs in progress", many(overview.runs), ""],
		],
	).trimStart();
}

const AGES = ["of today", "of 1 day", "of 2 days", "of 3 days or more"];

const many = ({ n, more }: { readonly n: number; readonly more: boolean }): string =>
	more ? `more than ${n.toLocaleString("en")}` : n.toLocaleString("en");

/** A list under its heading; null: there is nothing. */
function part<Item>(
	heading: string,
	{ items, ...all }: { readonly n: number; readonly more: boolean; readonly items: readonly Item[] },
	headings: readonly string[],
	cells: (item: Item) => (string | number | null)[],
): string | null {
	if (items.length === 0) return null;
	const of = all.n > items.length || all.more ? ` (${items.length} of ${many(all)})` : "";
	return `${heading}${of}:\n${table(headings, items.map(cells))}`;
}

const orders = ({ held_orders: all }: Overview) =>
	part("Orders on hold", all, ["ORDER", "PARTNER", "WHY", "SINCE", "LACKS", "CAN BE RELEASED", "DETAIL"], (one) => [
		nameOfOrder(one),
		one.partner,
		one.reason,
		one.held_at,
		one.lacking_units,
		one.could_be_released ? "yes" : "no",
		one.detail,
	]);

const lots = ({ ending_lots: all }: Overview) =>
	part(
		"Lots that expire",
		all,
		["LOT", "FORMULA", "BRAND", "BATCH", "LAST DAY", "FREE", "HELD", "ORDERED", "WHO"],
		(one) => [
			one.fg_id,
			one.formula,
			one.brand_code,
			one.batch_number,
			one.in_date ? one.expires_on : `${one.expires_on} (past)`,
			one.available,
			one.held,
			one.allocated,
			[
				...one.holders.map(({ partner, units }) => `${partner} ${units}`),
				...(one.unnamed_units > 0 ? [`others ${one.unnamed_units}`] : []),
			].join(", "),
		],
	);

const endpoints = ({ failing_endpoints: all }: Overview) =>
	part("Failing endpoints", all, ["ENDPOINT", "PARTNER", "STATE", "FAILING SINCE", "URL"], (one) => [
		one.endpoint_id,
		one.partner,
		one.active ? "active" : "inactive",
		one.failing_since,
		one.url,
	]);

const keys = ({ ending_keys: all }: Overview) =>
	part("Keys that end", all, ["KEY", "NAME", "PARTNER", "ENVIRONMENT", "ENDS"], (one) => [
		one.pk,
		one.name,
		one.partner,
		one.environment,
		one.ends_at,
	]);

const runs = ({ runs: all }: Overview) =>
	part("Runs in progress", all, ["RUN", "OPERATION", "ABOUT", "DONE", "OF", "STARTED"], (one) => [
		one.run_id,
		one.operation,
		one.about,
		one.done,
		one.of,
		one.started_at,
	]);
