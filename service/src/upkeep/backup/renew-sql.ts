import { CARRIED } from "./tables.ts";

/**
 * By how much the numbers of lists grow at a restore: more than anybody can have taken in the time that was lost.
 * Numbers are exact up to 2^53, enough for 900,000 restores.
 */
export const NUMBER_GAP = 10_000_000_000;
/** By how much the versions of orders and boxes grow: no order changes so often in the time that is lost. */
export const VERSION_GAP = 1_000;

type Table = (typeof CARRIED)[number];

/** What a restored database takes anew; see docs/decisions/0050. */
export interface Renewal {
	/** The tables that it changes or reads; where one does not exist yet it has nothing to do. */
	readonly tables: readonly Table[];
	/** Columns that came after their tables: where one does not exist yet it has nothing to do either. */
	readonly columns?: readonly `${Table}.${string}`[];
	readonly statement: string;
}

/** One moment that is later than every time in a column, as rows of the list show it: whole milliseconds. */
const momentAfter = (table: Table, time: string): string =>
	`(select date_trunc('milliseconds', greatest(clock_timestamp(), max(${time})) + interval '1 millisecond') as moment from ${table}) m`;

const EPOCHS = CARRIED.filter((table): table is Extract<Table, `${string}_epoch`> => table.endsWith("_epoch"));

/** Every epoch and the rows that have numbers of it. A test holds this to the schema. */
export const RENEWALS: readonly Renewal[] = [
	// nobody goes on from what was kept in memory: with an empty log everybody reads everything
	{ tables: ["epoch_log"], statement: "delete from epoch_log" },
	// readers by time come back with one from before the restore: every row of a list gets one time, which is later
	// than all
	{
		tables: ["sku"],
		statement: `update sku set version = version + ${NUMBER_GAP}, updated_at = moment from ${momentAfter("sku", "updated_at")}`,
	},
	{ tables: ["formula"], statement: `update formula set version = version + ${NUMBER_GAP}` },
	{ tables: ["catalog_epoch"], statement: `update catalog_epoch set version = version + ${NUMBER_GAP}` },
	{ tables: ["api_key"], statement: `update api_key set version = version + ${NUMBER_GAP}` },
	{ tables: ["key_epoch"], statement: `update key_epoch set version = version + ${NUMBER_GAP}` },
	{ tables: ["demand_epoch"], statement: `update demand_epoch set version = version + ${NUMBER_GAP}` },
	{ tables: ["receipt"], statement: `update receipt set version = version + ${NUMBER_GAP}` },
	{ tables: ["receipt_epoch"], statement: `update receipt_epoch set version = version + ${NUMBER_GAP}` },
	// partners take the higher version for the newer state
	{
		tables: ["shipment"],
		statement: `update shipment set modified_seq = modified_seq + ${NUMBER_GAP}, version = version + ${VERSION_GAP}`,
	},
	{
		tables: ["shipment"],
		columns: ["shipment.listed_at"],
		statement: `update shipment set listed_at = moment from ${momentAfter("shipment", "listed_at")}`,
	},
	{ tables: ["shipment_epoch"], statement: `update shipment_epoch set version = version + ${NUMBER_GAP}` },
	// an event is named after its order's version: the name of one that was told in the time that was lost must not
	// come again
	{ tables: ["orders"], statement: `update orders set version = version + ${VERSION_GAP}` },
	{ tables: ["event_epoch"], statement: `update event_epoch set version = version + ${NUMBER_GAP}` },
	{
		tables: ["webhook_endpoint"],
		statement: `update webhook_endpoint set version = version + ${NUMBER_GAP}, sender = null, sending_until = null`,
	},
	{
		tables: ["webhook_endpoint_epoch"],
		statement: `update webhook_endpoint_epoch set version = version + ${NUMBER_GAP}`,
	},
	// drafts have no number
	{
		tables: ["certificate"],
		statement: `update certificate set version = version + ${NUMBER_GAP}, updated_at = moment
		              from ${momentAfter("certificate", "updated_at")} where version is not null`,
	},
	{ tables: ["certificate_epoch"], statement: `update certificate_epoch set version = version + ${NUMBER_GAP}` },
	...EPOCHS.map((epoch) => ({
		tables: [epoch],
		columns: [`${epoch}.at`] as const,
		// after the rows, whose moment was taken from the same clock
		statement: `update ${epoch} set at = greatest(at, date_trunc('milliseconds', clock_timestamp())) + interval '1 millisecond'`,
	})),
	// it costs one look at the holds that are active
	{ tables: ["sweep_mark"], statement: "update sweep_mark set swept_to = '-infinity'" },
];

/**
 * Makes every webhook endpoint inactive, as the operator would, and drops what waits for it; answers how many were
 * active. Before the renewals, which give every endpoint a new number of its list.
 */
export const STOP_WEBHOOKS = `with dropped as (
   update webhook_delivery set status = 'dropped', next_attempt_at = null, settled_at = now() where status = 'pending'),
 stopped as (
   update webhook_endpoint set status = 'inactive', inactive_reason = 'operator', updated_at = now() where status = 'active' returning 1)
 select count(*)::int as stopped from stopped`;
/** The tables that it changes. */
export const WEBHOOK_TABLES: readonly Table[] = ["webhook_endpoint", "webhook_delivery"];
