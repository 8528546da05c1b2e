import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { callOperator, type DataOfCall } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { instant } from "../terminal/options.ts";
import { plural, print, shorten, table, tableOf } from "../terminal/output.ts";
import { describeRequest } from "./requests.ts";

type Explanation = DataOfCall<"explain_count">;
type Component = Explanation["components"][number];

/** With a key, what is missing may be the key or its SKU. */
const KEY_HINT = { not_found: `${quotedCommand("keys list")} shows all keys.` } as const;

interface Options extends JsonOption {
	readonly request?: string;
	readonly key?: string;
	readonly brand?: string;
	readonly at?: Date;
}

export function addExplain(program: Command): void {
	addCommand(
		program,
		"explain [sku]",
		"explain a count from the ledger, by pool, lot, hold and demand, now or at a past time; or why a request was refused",
		"explain EVENING --key web --at 2026-11-17T10:00:00+01:00",
	)
		.option("--key <pk-or-name>", "as this key sees it; all pools together by default")
		.option("--brand <code>", "the brand_code that the key sends")
		.option("--at <time>", "the past time to explain (now)", instant)
		.option("--request <id>", "the request to explain, by its X-Request-Id, instead of a SKU")
		.action(
			async (sku: string | undefined, { request: requestId, key, brand, at, json }: Options, command: Command) => {
				if (sku !== undefined && requestId !== undefined)
					command.error("error: name either a SKU or --request, not both");
				if (requestId !== undefined) return await explainRequest(requestId, json);
				if (sku === undefined) return command.error("error: missing required argument 'sku', or --request");
				const query = { key, brand_code: brand, at: at?.toISOString() };
				const hints = key === undefined ? {} : KEY_HINT;
				const explanation = await callOperator("explain_count", { params: { sku }, query }, hints);
				print(explanation, json, () => describe(explanation));
			},
		);
}

async function explainRequest(requestId: string, json: true | undefined): Promise<void> {
	const request = await callOperator("get_request", { params: { request_id: requestId } });
	const counts = request.counts.flatMap((count) => ["", describe(count)]);
	print(request, json, () => [...describeRequest(request), ...counts].join("\n"));
}

/** Maximum number of lots, and of holds, of one pool in human-readable output. */
const MAX_ROWS = 50;
const HOLD_HEADINGS = ["HELD ON", "HOLD", "UNITS", "KEY", "REFERENCE", "EXPIRES"];

const ORDER_HEADINGS = ["ALLOCATED ON", "ORDER", "UNITS", "KEY"];

const poolName = (brand: string | null): string => brand ?? "the shared pool";

function describe(told: Explanation): string {
	const { counts } = told;
	return [
		`${told.sku} (${told.name}, ${told.kind}) at ${told.at}, ${told.key ?? "no key"}, from ${told.pools.map(poolName).join(", then ")}`,
		...told.notes.map((note) => `  ${note}`),
		...told.components.flatMap(describeComponent),
		"",
		`available_qty ${counts.available_qty}, promised_qty ${counts.promised_qty}, backorder_qty ${counts.backorder_qty}`,
		`atp_qty ${counts.atp_qty}`,
	].join("\n");
}

function describeComponent(component: Component): string[] {
	const { formula, status, per_kit, available_units, promised_units, atp_units } = component;
	return [
		"",
		`${formula} (${status}), ${plural(per_kit, "unit")} per kit`,
		...component.pools.flatMap(describePool),
		`  together ${available_units} available - ${promised_units} promised = ${atp_units} available to promise, enough for ${plural(Math.floor(atp_units / per_kit), "kit")}`,
	];
}

function describePool({
	brand_code,
	lots,
	demand,
	available_units,
	promised_units,
}: Component["pools"][number]): string[] {
	const { shown, rest: moreLots } = shorten(lots, MAX_ROWS, "lots");
	const lotTable = tableOf(shown, {
		BATCH: ({ batch_number: batch, recalled }) => `${batch}${recalled ? " (recalled)" : ""}`,
		EXPIRES: ({ expires_on: day, in_date: inDate }) => (day === null ? "never" : `${day}${inDate ? "" : " (past)"}`),
		"CAME IN": (lot) => lot.received + lot.corrected,
		AVAILABLE: "available",
		HELD: "held",
		LAPSED: "lapsed_units",
		ALLOCATED: "allocated",
		CONSUMED: "consumed",
		SHIPPED: "shipped",
		QUARANTINED: "quarantined",
		DESTROYED: "destroyed",
		COUNTS: "counts",
	});
	const holds = lots.flatMap((lot) =>
		lot.holds.map((hold) => [
			lot.batch_number,
			hold.reservation_token ?? `(taken later: ${hold.later ?? "?"})`,
			hold.units,
			hold.key,
			hold.external_ref,
			hold.lapsed ? `${hold.expires_at} (past)` : hold.expires_at,
		]),
	);
	const { shown: held, rest: moreHolds } = shorten(holds, MAX_ROWS, "holds");
	const orders = lots.flatMap((lot) =>
		lot.orders.map((order) => [
			lot.batch_number,
			order.order_id === null ? `(taken later: ${order.later ?? "?"})` : (order.external_order_id ?? order.ref),
			order.units,
			order.key,
		]),
	);
	const { shown: allocated, rest: moreOrders } = shorten(orders, MAX_ROWS, "orders");
	const indent = (text: string): string[] => text.split("\n").map((line) => `    ${line}`);
	return [
		`  ${poolName(brand_code)}: ${available_units} available, ${promised_units} promised`,
		...(lots.length > 0 ? indent([lotTable, ...moreLots].join("\n")) : ["    no lots"]),
		...(held.length > 0 ? indent([table(HOLD_HEADINGS, held), ...moreHolds].join("\n")) : []),
		...(allocated.length > 0 ? indent([table(ORDER_HEADINGS, allocated), ...moreOrders].join("\n")) : []),
		...demand.map(({ reference, units }) => `    promised ${units}: ${reference ?? "the safety buffer"}`),
	];
}
