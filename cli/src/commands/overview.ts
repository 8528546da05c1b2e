import type { Command } from "commander";
import { callOperator, type DataOfCall } from "../client/operator-client.ts";
import { addCommand } from "../terminal/command.ts";
import { print, table, tableOf } from "../terminal/output.ts";
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
	show: (items: readonly Item[]) => string,
): string | null {
	if (items.length === 0) return null;
	const of = all.n > items.length || all.more ? ` (${items.length} of ${many(all)})` : "";
	return `${heading}${of}:\n${show(items)}`;
}

const orders = ({ held_orders: all }: Overview) =>
	part("Orders on hold", all, (items) =>
		tableOf(items, {
			ORDER: nameOfOrder,
			PARTNER: "partner",
			WHY: "reason",
			SINCE: "held_at",
			LACKS: "lacking_units",
			"CAN BE RELEASED": (one) => (one.could_be_released ? "yes" : "no"),
			DETAIL: "detail",
		}),
	);

const lots = ({ ending_lots: all }: Overview) =>
	part("Lots that expire", all, (items) =>
		tableOf(items, {
			LOT: "fg_id",
			FORMULA: "formula",
			BRAND: "brand_code",
			BATCH: "batch_number",
			"LAST DAY": (one) => (one.in_date ? one.expires_on : `${one.expires_on} (past)`),
			FREE: "available",
			HELD: "held",
			ORDERED: "allocated",
			WHO: ({ holders, unnamed_units: others }) =>
				[
					...holders.map(({ partner, units }) => `${partner} ${units}`),
					...(others > 0 ? [`others ${others}`] : []),
				].join(", "),
		}),
	);

const endpoints = ({ failing_endpoints: all }: Overview) =>
	part("Failing endpoints", all, (items) =>
		tableOf(items, {
			ENDPOINT: "endpoint_id",
			PARTNER: "partner",
			STATE: ({ active }) => (active ? "active" : "inactive"),
			"FAILING SINCE": "failing_since",
			URL: "url",
		}),
	);

const keys = ({ ending_keys: all }: Overview) =>
	part("Keys that end", all, (items) =>
		tableOf(items, { KEY: "pk", NAME: "name", PARTNER: "partner", ENVIRONMENT: "environment", ENDS: "ends_at" }),
	);

const runs = ({ runs: all }: Overview) =>
	part("Runs in progress", all, (items) =>
		tableOf(items, {
			RUN: "run_id",
			OPERATION: "operation",
			ABOUT: "about",
			DONE: "done",
			OF: "of",
			STARTED: "started_at",
		}),
	);
