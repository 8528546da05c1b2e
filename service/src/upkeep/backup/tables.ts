/**
 * How a backup treats every table of the schema; a test compares the lists with the migrations. A new table goes either
 * into CARRIED, after the tables that its foreign keys name, or into LEFT with the reason.
 */

/**
 * Tables that have rows from the migrations on. They are loaded last, because loading the other tables advances them.
 */
const ADVANCED = [
	"audit_head",
	"catalog_epoch",
	"demand_epoch",
	"key_epoch",
	"shipment_epoch",
	"event_epoch",
	"receipt_epoch",
	"webhook_endpoint_epoch",
	"certificate_epoch",
	"epoch_log",
] as const;

/** In the order in which they are loaded. */
export const CARRIED = [
	"partner",
	"pool",
	"api_key",
	"key_secret",
	"operator_token",
	"operator_person",
	"operator_factor",
	"operator_recovery_code",
	"operator_reply",
	"operator_run",
	"audit_log",
	"audit_seal",
	"formula",
	"product",
	"sku",
	"sku_component",
	"lot",
	"unit_move",
	"receipt",
	"hold",
	"hold_part",
	"orders",
	"customer_erasure",
	"shipment",
	"event",
	"webhook_endpoint",
	"webhook_secret",
	"webhook_delivery",
	"certificate",
	"certificate_file",
	"demand",
	"safety_buffer",
	"promise_log", // after both tables whose triggers write it
	"prepaid_mirror",
	"prepaid_item",
	"demand_store",
	"reported_order",
	"reported_line",
	"draw_down",
	"demand_exception",
	"label_push",
	"platform_box",
	"box_sweep",
	"sandbox_restock",
	"sweep_mark",
	"history_digest",
	"ledger_seal",
	"lot_seal",
	"hold_seal",
	"series_point",
	"owned_series",
	"golive_run",
	"golive_look",
	"golive_probe",
	"golive_drill",
	"golive_retirement",
	"golive_review",
	"golive_unkind_hour",
	"golive_unkind_act",
	// a node that lost the reply to a COMMIT reads this table, even on the server to which the backup is restored
	"commit_evidence",
	...ADVANCED,
] as const;

export const LEFT: Readonly<Record<string, string>> = {
	schema_migration: "the migrations that ran are named in the archive, and are run again",
	job_schema: "is written again by the migrations of the job tables",
	replica_beat: "shows replicas what running nodes wrote last",
	running_node: "lists the running nodes and their settings: no node runs on a restored database yet",
	operator_session: "lists who is signed in: after a restore, people sign in again",
	operator_challenge: "lists sign-ins that have begun: after a restore, people begin again",
	live_change: "lists the changes of the last minutes for open streams: after a restore these read everything again",
	request_log: "is a log of what partners asked, large, and kept for some weeks only",
	key_use: "shares between running nodes how often each key was used in the last minutes",
};

/** Tables in which the migrations themselves insert rows. In an empty database, all other tables have none. */
export const SEEDED: readonly string[] = ["pool", "sandbox_restock", "sweep_mark", ...ADVANCED];

/** Tables that triggers write to while others are loaded; those rows are deleted before the archive's are loaded. */
export const WRITTEN_BY_TRIGGERS: readonly string[] = ["promise_log"];

/** Tables that every connection writes to: rows in them do not mean that a database is in use. */
export const WRITTEN_BY_ANYONE: readonly string[] = ["commit_evidence"];
