import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import type { FileStore } from "../src/inventory/certificates/file-store.ts";
import { Consume, Reserve } from "../src/inventory/holds/contract.ts";
import { openArchive } from "../src/upkeep/backup/open-archive.ts";
import { restoreBackup } from "../src/upkeep/backup/restore-backup.ts";
import { type FileKeeper, writeBackup } from "../src/upkeep/backup/write-backup.ts";
import { digestHistory } from "../src/upkeep/ledger/digest-history.ts";
import { proveLedger, type Rule } from "../src/upkeep/ledger/verify.ts";
import { placedFor, warehouseOf } from "./contract/order-world.ts";
import { openWorld, type World } from "./contract/world.ts";
import { openTestDatabase, type TestDatabase } from "./house.ts";

/*
 * Changes by SQL behind the service's back, and the rules that detect them. The list is not complete; it also has
 * changes that are not detected, as does docs/operator/proving.md.
 */

const NO_FILES: FileKeeper = {
	list: () => Promise.resolve([]),
	open: () => Promise.reject(new Error("there is no file")),
	put: () => Promise.resolve(true),
	remove: () => Promise.resolve(),
};
/** A store of PDFs without any. */
export const NO_PDFS = {
	put: () => Promise.reject(new Error("there is no file")),
	open: () => Promise.resolve(null),
} as unknown as FileStore;
const never = new AbortController().signal;

/**
 * A world two days old that was restored from a backup, with a seal that was left before anything happened in it. It
 * has no connections, so that it can be copied.
 */
export async function restoredWorld(): Promise<TestDatabase> {
	const world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }], partners: [{ name: "Other" }] });
	expect((await proveLedger(world.db, world.deps.files, {})).sealed).toMatchObject({ seal: 1, moves_upto: 0 });
	await live(world);
	await grow(world);
	const sink = new PassThrough();
	const settings = { version: "0.0.0-test", files: NO_FILES, keyRing: null };
	const [, backup] = await Promise.all([writeBackup(world.deps.databaseUrl, sink, settings), buffer(sink)]);
	await world.stop();
	const restored = await openTestDatabase();
	await restoreBackup(restored.url, await openArchive(Readable.from([backup])), {
		files: NO_FILES,
		withoutWebhooks: false,
		takeKeyRing: () => Promise.resolve(),
		onBytes: () => undefined,
	});
	await restored.leave();
	return restored;
}

/**
 * Holds in several states, orders that are held and shipped, an endpoint that is notified of them, demand, and an
 * exception.
 */
async function live(world: World): Promise<void> {
	const acme = (await world.key({ brand: "ACME" })).token;
	await world.key({ brand: "ACME" });
	await world.db.query("update api_key set partner_id = (select partner_id from api_key where pk = $1)", [
		acme.split(":")[0],
	]);
	await world.db.query(
		`insert into webhook_endpoint (endpoint_id, partner_id, environment, url, event_types, status, api_date, version, updated_at, sender, sending_until)
		 select gen_random_uuid(), partner_id, environment, 'https://shop.example.com/', '{order.shipped,order.held}', 'active', '2026-09-06',
		        take_numbers('webhook_endpoint_epoch', 1), now() - interval '9 days', gen_random_uuid(), now() + interval '50 seconds'
		   from api_key where pk = $1`,
		[acme.split(":")[0]],
	);
	const warehouse = warehouseOf(world);
	const shipped = await placedFor(world, acme, { qty: 3, lots: [{ brand: "ACME", units: 12, expires: "2090-01-01" }] });
	await warehouse.pick(shipped.order);
	await warehouse.ship(shipped.order);
	const held = (await placedFor(world, acme)).order;
	await warehouse.hold(held);
	await warehouse.release(held);
	await placedFor(world, acme);
	const { sku, code } = await world.stocked([{ brand: "ACME", units: 9 }]);
	await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref: "active" });
	const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
	await world.call(Consume, acme, { reservation_token: data.reservation_token, external_ref: "sale" });
	await world.has({ demand: [{ formula: code, brand_code: null, units: 3, reference: "PO-1" }] });
	await world.db.query(
		`insert into demand_exception (reference, kind, subject, promised_kits, shipped_kits, missing_units, formula_id, pool_ids)
		 select 'label:1', 'shortage', formula_id || '/0', 0, 1, 2, formula_id, '{0}' from formula where code = $1`,
		[code],
	);
	await world.db.query(
		`update webhook_delivery set status = 'delivered', next_attempt_at = null, settled_at = now(), attempts = '[{"status": 204}]'
		  where seq = (select min(seq) from webhook_delivery)`,
	);
}

/** Makes everything two days older, and creates digests of it. */
async function grow({ db }: World): Promise<void> {
	await db.query(`alter table unit_move disable trigger unit_move_append_only;
		update unit_move set at = at - interval '2 days';
		alter table unit_move enable trigger unit_move_append_only;
		update event set created_at = created_at - interval '2 days';
		update orders set held_at = held_at - interval '2 days';
		update receipt set received_on = received_on - 2;
		update lot set received_on = received_on - 2,
		       label_digest = label_digest(fg_id, formula_id, pool_id, batch_number, expires_on, received_on - 2)`);
	expect(await digestHistory(db, never)).toBeGreaterThan(5);
	expect(await digestHistory(db, never)).toBe(0);
}

/** Runs the change without the triggers that would log or refuse it, as somebody who wants to hide it would. */
export const silently = (statement: string): string =>
	`set session_replication_role = replica; ${statement}; set session_replication_role = origin`;

/** A lot of which nothing was shipped, so that a change to it is found on no shipment. */
const lot =
	"(select min(fg_id::text)::uuid from lot where available > 0 and fg_id not in (select fg_id from hold_part where own_state = 'shipped'))";
const shippedLot = "(select min(fg_id::text)::uuid from hold_part where own_state = 'shipped')";
const told = "(select event_id from event where type = 'order.shipped')";

const active = "select reservation_token from hold where external_ref = 'active'";
const newEvent = (type: string, data: string): string =>
	`insert into event (event_id, seq, partner_id, environment, type, created_at, body)
	 select 'evt_new', take_numbers('event_epoch', 1), partner_id, 'live', '${type}', now(), jsonb_build_object('data', ${data}::jsonb)
	   from partner where name = 'Other'`;

/**
 * The change, its SQL, the rules by which a whole run detects it (none: it is not detected), and those by which a run
 * since a seal that covers everything does; absent: the same.
 */
export const CORRUPTIONS: readonly [what: string, how: string, noticedBy: Rule[], sinceSeal?: Rule[]][] = [
	[
		"units out of nowhere",
		`update lot set available = available + 1, received = received + 1 where fg_id = ${lot}`,
		["lot-balance", "receipt-units"],
	],
	[
		"a balance changed without a move",
		`update lot set available = available - 1, quarantined = quarantined + 1 where fg_id = ${lot}`,
		["lot-balance"],
	],
	[
		"a part on another lot",
		`update hold_part set fg_id = ${shippedLot} where reservation_token = (select reservation_token from hold where external_ref = 'active')`,
		["lot-parts", "part-lot"],
	],
	[
		"a hold erased",
		"delete from hold where external_ref = 'active'",
		["lot-parts", "move-without-hold", "part-without-hold"],
		["lot-parts"],
	],
	[
		"an event of another partner",
		`update event set partner_id = (select partner_id from partner where name = 'Other') where event_id = ${told}`,
		["event-owner", "history-digest"],
		[],
	],
	[
		"an event of another environment",
		`update event set environment = 'sandbox' where event_id = ${told}`,
		["event-owner", "history-digest"],
		[],
	],
	[
		"an event about a hold, for another partner than the hold's",
		newEvent("hold.impaired", `jsonb_build_object('reservation_token', (${active}))`),
		["event-owner"],
	],
	[
		"an event about a hold that does not exist",
		newEvent("hold.impaired", "jsonb_build_object('reservation_token', gen_random_uuid())"),
		["event-owner"],
	],
	[
		"an event about a certificate that was not withdrawn",
		newEvent("certificate.retired", `'{"product": {"slug": "serum"}, "batch_number": "B-1"}'`),
		["event-owner"],
	],
	["an epoch that went back", "update receipt_epoch set version = 0", ["epoch"]],
	["demand erased, and its log line kept", silently("delete from demand"), ["demand-log"]],
	["demand made smaller, and its log line kept", silently("update demand set units = 1"), ["demand-log"]],
	[
		"a hold moved to another key of its partner",
		"update hold set key_id = (select key_id from api_key k where k.key_id <> hold.key_id and k.partner_id = hold.partner_id) where external_ref = 'active'",
		["hold-key"],
		[],
	],
	[
		"items of a shipment of another batch than their lots",
		`update shipment set items = jsonb_set(items, '{0,lots,0,batch_number}', '"ELSE"') where status = 'shipped'`,
		["event-body", "shipment-lots"],
		[],
	],
	[
		"items of a shipment with more kits than units",
		"update shipment set items = jsonb_set(items, '{0,qty}', '9') where status = 'shipped'",
		["event-body", "shipment-lots"],
		[],
	],
	[
		"an event's body with another quantity than its box",
		`update event set body = jsonb_set(body::jsonb, '{data,shipment,items,0,qty}', '9')::text where event_id = ${told}`,
		["event-body"],
		[],
	],
	[
		"an active hold that lives longer than is allowed",
		"update hold set expires_at = created_at + interval '2 years' where external_ref = 'active'",
		["hold-life"],
	],
	["a delivery erased", "delete from webhook_delivery where status = 'pending'", ["event-delivery"]],
	[
		"a delivery marked as delivered",
		"update webhook_delivery set status = 'delivered', next_attempt_at = null, settled_at = now() where status = 'pending'",
		["delivery-answer"],
	],
	["a lot's expiry date", `update lot set expires_on = '2099-01-01' where fg_id = ${shippedLot}`, ["lot-label"]],
	["a lot's day of receipt", `update lot set received_on = received_on - 30 where fg_id = ${lot}`, ["lot-label"]],
	["a lot's batch number", `update lot set batch_number = 'ELSE' where fg_id = ${lot}`, ["lot-label"]],
	[
		"an Idempotency-Key of an order that was told of",
		"update orders set ref = 'other' where status = 'shipped'",
		["event-body"],
		[],
	],
	[
		"an order's version below what was told",
		"update orders set version = 1 where status = 'shipped'",
		["event-body"],
		[],
	],
	["a past order.held", "delete from event where type = 'order.held'", ["history-digest"], []],
	[
		"an event's time",
		`update event set created_at = created_at - interval '1 day' where event_id = ${told}`,
		["history-digest"],
		[],
	],
	["a receipt's day", `update receipt set received_on = received_on - 9 where fg_id = ${lot}`, ["receipt-day"], []],
	[
		"an actor in the ledger",
		silently("update unit_move set actor = 'operator:nobody' where cause = 'import'"),
		["history-digest"],
		[],
	],
	[
		"a time in the ledger",
		silently("update unit_move set at = at - interval '1 minute' where cause = 'reserve'"),
		["history-digest"],
		[],
	],
	[
		"a reason in the ledger",
		silently("update unit_move set request_id = 'req_other' where cause = 'consume'"),
		["history-digest"],
		[],
	],
	["a consume reference", "update hold set consume_ref = 'other' where status = 'consumed'", []],
	["a shortage exception erased", "delete from demand_exception", []],
	[
		"an Idempotency-Key of an order that was never told of",
		"update orders set ref = 'other' where status = 'placed' and version = 1",
		[],
	],
	[
		"a hold that lives longer, and not too long",
		"update hold set expires_at = expires_at + interval '1 hour' where external_ref = 'active'",
		[],
	],
	["demand erased with its log line", "delete from demand", []],
];

const lastSeal = "(select max(seal) from ledger_seal)";

/** The same of seals and of the digests that they cover. */
export const SEAL_DAMAGE: typeof CORRUPTIONS = [
	["digests of events erased", "delete from history_digest where kind = 'event'", ["seal"]],
	[
		"an actor in the ledger, and the digests of the ledger with it",
		`${silently("update unit_move set actor = 'operator:nobody' where cause = 'import'")};
		 update history_digest d set digest = digest + 1 - 1 + (select count(*) from unit_move where actor = 'operator:nobody' and seq > d.after and seq <= d.upto) where kind = 'move'`,
		["history-digest", "seal"],
		["seal"],
	],
	[
		"a seal that says it reaches further",
		`update ledger_seal set changes_upto = changes_upto + 1 where seal = ${lastSeal}`,
		["seal"],
	],
	["a past seal changed", "update ledger_seal set made_at = made_at - interval '1 hour' where seal = 1", ["seal"], []],
	["the last seal erased", `delete from ledger_seal where seal = ${lastSeal}`, ["seal", "sealed-sums"]],
	["a past seal erased", "delete from ledger_seal where seal = 1", ["seal"]],
	[
		"a sum of a lot's moves",
		"update lot_seal set units = units + 1 where bucket = 'available'",
		["sealed-sums"],
		["lot-balance"],
	],
	["the sums of a lot's moves erased", `delete from lot_seal where fg_id = ${lot}`, ["sealed-sums"], ["lot-balance"]],
	[
		"a sum of a hold's moves",
		`update hold_seal set reserved = reserved + 1 where reservation_token = (${active})`,
		["sealed-sums"],
		["hold-reserved"],
	],
];
