import { CARRIED } from "./tables.ts";

/**
 * How far a restore advances the numbers of lists: more than can have been used in the lost time. Numbers are exact up
 * to 2^53, enough for 900,000 restores.
 */
export const NUMBER_GAP = 10_000_000_000;
/**
 * How far a restore advances the versions of orders and boxes: more changes than an order can have had in the lost
 * time.
 */
export const VERSION_GAP = 1_000;

type Table = (typeof CARRIED)[number];

/** One statement that renews something after a restore; see docs/decisions/0050. */
export interface Renewal {
	/** The tables that the statement changes or reads. It is skipped where one of them does not exist yet. */
	readonly tables: readonly Table[];
	/** Columns that were added to their tables later. The statement is skipped where one of them does not exist yet. */
	readonly columns?: readonly `${Table}.${string}`[];
	readonly statement: string;
}

/** A moment later than every time in a column, in whole milliseconds, as rows of the list show it. */
const momentAfter = (table: Table, time: string): string =>
	`(select date_trunc('milliseconds', greatest(clock_timestamp(), max(${time})) + interval '1 millisecond') as moment from ${table}) m`;

/** Advances the numbers of a table: of an epoch, or of the rows that have them. */
const numbered = (table: Table): Renewal => ({
	tables: [table],
	statement: `update ${table} set version = version + ${NUMBER_GAP}`,
});

const EPOCHS = CARRIED.filter((table): table is Extract<Table, `${string}_epoch`> => table.endsWith("_epoch"));

/** Every epoch, and the rows that have its numbers. A test checks this against the schema. */
export const RENEWALS: readonly Renewal[] = [
	// invalidates every cache: with an empty log, nodes read everything again
	{ tables: ["epoch_log"], statement: "delete from epoch_log" },
	// Clients that read by time may send a time from before the restore, so every row of a list gets the same time,
	// later than all earlier ones.
	{
		tables: ["sku"],
		statement: `update sku set version = version + ${NUMBER_GAP}, updated_at = moment from ${momentAfter("sku", "updated_at")}`,
	},
	numbered("formula"),
	numbered("api_key"),
	numbered("receipt"),
	// partners treat the higher version as the newer state
	{
		tables: ["shipment"],
		statement: `update shipment set modified_seq = modified_seq + ${NUMBER_GAP}, version = version + ${VERSION_GAP}`,
	},
	{
		tables: ["shipment"],
		columns: ["shipment.listed_at"],
		statement: `update shipment set listed_at = moment from ${momentAfter("shipment", "listed_at")}`,
	},
	// An event's id contains its order's version: an id that was sent in the lost time must not be used again.
	{ tables: ["orders"], statement: `update orders set version = version + ${VERSION_GAP}` },
	{
		tables: ["orders"],
		columns: ["orders.modified_seq"],
		statement: `update orders set modified_seq = modified_seq + ${NUMBER_GAP}`,
	},
	{
		tables: ["webhook_endpoint"],
		statement: `update webhook_endpoint set version = version + ${NUMBER_GAP}, sender = null, sending_until = null`,
	},
	// drafts have no number
	{
		tables: ["certificate"],
		statement: `update certificate set version = version + ${NUMBER_GAP}, updated_at = moment
		              from ${momentAfter("certificate", "updated_at")} where version is not null`,
	},
	...EPOCHS.map(numbered),
	...EPOCHS.map((epoch) => ({
		tables: [epoch],
		columns: [`${epoch}.at`] as const,
		// after the rows, whose moment was read from the same clock
		statement: `update ${epoch} set at = greatest(at, date_trunc('milliseconds', clock_timestamp())) + interval '1 millisecond'`,
	})),
	// makes the next sweep read all active holds once
	{ tables: ["sweep_mark"], statement: "update sweep_mark set swept_to = '-infinity'" },
];

/**
 * Makes every webhook endpoint inactive, as the operator would, and drops its pending deliveries. Returns how many
 * endpoints were active. Runs before the renewals, which give every endpoint a new number of its list.
 */
export const STOP_WEBHOOKS = `with dropped as (
   update webhook_delivery set status = 'dropped', next_attempt_at = null, settled_at = now() where status = 'pending'),
 stopped as (
   update webhook_endpoint set status = 'inactive', inactive_reason = 'operator', updated_at = now() where status = 'active' returning 1)
 select count(*)::int as stopped from stopped`;
/** The tables that STOP_WEBHOOKS changes. */
export const WEBHOOK_TABLES: readonly Table[] = ["webhook_endpoint", "webhook_delivery"];
