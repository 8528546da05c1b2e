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

/** Advances the numbers of a table: of an epoch, or of the rows that have them. */
const numbered = (table: Table): Renewal => ({
	tables: [table],
	statement: `update ${table} set version = version + ${NUMBER_GAP}`,
});

const EPOCHS = CARRIED.filter((table): table is Extract<Table, `${string}_epoch`> => table.endsWith("_epoch"));

/**
 * Gives every row of a list the time of its epoch. Clients that read by time may send a time from before the restore.
 * In a backup whose epochs have no time yet, a later migration does the same.
 */
const retimed = (table: Table, column: string, epoch: (typeof EPOCHS)[number], where = "true"): Renewal => ({
	tables: [table, epoch],
	columns: [`${epoch}.at`],
	statement: `update ${table} set ${column} = at from ${epoch} where ${where}`,
});

/** Every epoch, and the rows that have its numbers. A test checks this against the schema. */
export const RENEWALS: readonly Renewal[] = [
	// invalidates every cache: with an empty log, nodes read everything again
	{ tables: ["epoch_log"], statement: "delete from epoch_log" },
	...EPOCHS.map((epoch) => ({
		tables: [epoch],
		columns: [`${epoch}.at`] as const,
		// later than every time of the list
		statement: `update ${epoch} set at = greatest(at, date_trunc('milliseconds', clock_timestamp())) + interval '1 millisecond'`,
	})),
	numbered("sku"),
	retimed("sku", "updated_at", "catalog_epoch"),
	numbered("formula"),
	numbered("api_key"),
	numbered("receipt"),
	// partners treat the higher version as the newer state
	{
		tables: ["shipment"],
		statement: `update shipment set modified_seq = modified_seq + ${NUMBER_GAP}, version = version + ${VERSION_GAP}`,
	},
	retimed("shipment", "listed_at", "shipment_epoch"),
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
		statement: `update certificate set version = version + ${NUMBER_GAP} where version is not null`,
	},
	retimed("certificate", "updated_at", "certificate_epoch", "certificate.version is not null"),
	...EPOCHS.map(numbered),
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
