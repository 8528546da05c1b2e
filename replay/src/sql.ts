/**
 * Reads the replay makes of the tables, as the operator may, to compare lists and events with them. Nothing here
 * writes.
 */

/** Orders that a recall has put on hold. */
export const HELD_BY_RECALL = "select order_id from orders where status = 'held' and hold_reason = 'lot_recalled'";

/** Every box, whichever list it is on. `brand_code` null: a box of the shared stock, which is on no list. */
export const BOXES = `select s.shipment_id as id, s.version::int as version, p.brand_code
  from shipment s join pool p using (pool_id)`;

/** Quarantined units of these lots. */
export const QUARANTINED = "select fg_id, quarantined::int as units from lot where fg_id = any($1::uuid[])";

/** Events in order, a page at a time, because their bodies are large. */
export const EVENTS = "select event_id, seq::int as seq, type, body from event where seq > $1 order by seq limit $2";

/** Whether there is a table of receipts, which older builds lack. */
export const HAS_RECEIPTS = "select to_regclass('receipt') is not null as there";

/** Every receipt. */
export const RECEIPTS = `select r.receipt_id as id, r.version::int as version, p.brand_code
  from receipt r join pool p using (pool_id)`;

/** The pools of a brand's orders: its own, and the shared one. */
export const POOLS_OF = "select pool_id from pool where brand_code = $1 or pool_id = 0";
