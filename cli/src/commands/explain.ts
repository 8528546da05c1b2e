import type { Command } from "commander";
import type { Refusal } from "../../../service/src/ground/lib/refusal.ts";
import type { Caller } from "../../../service/src/partners/http/caller.ts";
import type { selectKey } from "../../../service/src/partners/keys/select-key.ts";
import type { ExplainedComponent, ExplainedPool, Explanation } from "../../../service/src/upkeep/ledger/explain.ts";
import { granted, KEY_HINT, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { instant } from "../terminal/options.ts";
import { plural, print, shorten, table } from "../terminal/output.ts";

interface Options extends JsonOption {
	readonly key?: string;
	readonly brand?: string;
	readonly at?: Date;
}

export function addExplain(program: Command): void {
	addCommand(
		program,
		"explain <sku>",
		"explain a count from the ledger, by pool, lot, hold and demand, now or at a past time",
		"explain EVENING --key web --at 2026-11-17T10:00:00+01:00",
	)
		.option("--key <pk-or-name>", "as this key sees it; all pools together by default")
		.option("--brand <code>", "the brand_code that the key sends")
		.option("--at <time>", "the past time to explain (now)", instant)
		.action(async (sku: string, { key, brand, at, json }: Options) => {
			const [{ explain }, keys] = await Promise.all([
				import("../../../service/src/upkeep/ledger/explain.ts"),
				import("../../../service/src/partners/keys/select-key.ts"),
			]);
			const explanation = await withStore(async ({ db, agreed }) => {
				const { timeZone, coa } = await agreed("HOLDFAST_TIME_ZONE", "HOLDFAST_COA_REQUIRED");
				const caller = key === undefined ? null : callerOf(granted(await keys.selectKey(db, key), KEY_HINT));
				return granted(
					await explain(db, timeZone, {
						sku,
						caller,
						brandCode: brand,
						at: at ?? null,
						certificatesRequired: coa.required,
					}),
				);
			});
			print(explanation, json, () => describe(explanation));
		});
}

type Key = Exclude<Awaited<ReturnType<typeof selectKey>>, Refusal>;

/** By name: a stored key has digests of its secrets, a caller has none. */
const callerOf = ({
	keyId,
	pk,
	partnerId,
	environment,
	brandCode,
	poolId,
	sharedPool,
	scopes,
	...rest
}: Key): Caller => ({
	keyId,
	pk,
	partnerId,
	environment,
	brandCode,
	poolId,
	sharedPool,
	scopes: new Set(scopes),
	requestsPerMinute: rest.requestsPerMinute,
	maxHeldUnits: rest.maxHeldUnits,
});

/** Most lots, and most holds, of one pool in human-readable output. */
const MAX_ROWS = 50;
const HOLD_HEADINGS = ["HELD ON", "HOLD", "UNITS", "KEY", "REFERENCE", "EXPIRES"];

const ORDER_HEADINGS = ["ALLOCATED ON", "ORDER", "UNITS", "KEY", "REFERENCE"];

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

function describeComponent(component: ExplainedComponent): string[] {
	const { formula, status, per_kit, available_units, promised_units, atp_units } = component;
	return [
		"",
		`${formula} (${status}), ${plural(per_kit, "unit")} per kit`,
		...component.pools.flatMap(describePool),
		`  together ${available_units} available - ${promised_units} promised = ${atp_units} available to promise, enough for ${plural(Math.floor(atp_units / per_kit), "kit")}`,
	];
}

function describePool({ brand_code, lots, demand, available_units, promised_units }: ExplainedPool): string[] {
	const { shown, rest: moreLots } = shorten(lots, MAX_ROWS, "lots");
	const rows = shown.map((lot) => [
		`${lot.batch_number}${lot.recalled ? " (recalled)" : ""}`,
		lot.expires_on === null ? "never" : `${lot.expires_on}${lot.in_date ? "" : " (past)"}`,
		lot.received + lot.corrected,
		lot.available,
		lot.held,
		lot.lapsed_units,
		lot.allocated,
		lot.consumed,
		lot.shipped,
		lot.quarantined,
		lot.destroyed,
		lot.counts,
	]);
	const headings = ["BATCH", "EXPIRES", "CAME IN", "AVAILABLE", "HELD", "LAPSED", "ALLOCATED", "CONSUMED", "SHIPPED"];
	const lotTable = table([...headings, "QUARANTINED", "DESTROYED", "COUNTS"], rows);
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
			order.order_id ?? `(taken later: ${order.later ?? "?"})`,
			order.units,
			order.key,
			order.external_order_id ?? order.ref,
		]),
	);
	const { shown: allocated, rest: moreOrders } = shorten(orders, MAX_ROWS, "orders");
	const indent = (text: string): string[] => text.split("\n").map((line) => `    ${line}`);
	return [
		`  ${poolName(brand_code)}: ${available_units} available, ${promised_units} promised`,
		...(rows.length > 0 ? indent([lotTable, ...moreLots].join("\n")) : ["    no lots"]),
		...(held.length > 0 ? indent([table(HOLD_HEADINGS, held), ...moreHolds].join("\n")) : []),
		...(allocated.length > 0 ? indent([table(ORDER_HEADINGS, allocated), ...moreOrders].join("\n")) : []),
		...demand.map(({ reference, units }) => `    promised ${units}: ${reference ?? "the safety buffer"}`),
	];
}
