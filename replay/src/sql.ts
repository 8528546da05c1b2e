/**
 * What the replay asks the tables themselves, as the operator may: to hold lists and events against it. Nothing is
 * written here.
 */

/** Orders that a recall has put on hold. */
export const HELD_BY_RECALL = "select order_id from orders where status = 'held' and hold_reason = 'lot_recalled'";

/** Every box, whatever list it is on. `brand_code` null: of the shared stock, which is on nobody's list. */
export const BOXES = `select s.shipment_id as id, s.version::int as version, p.brand_code
  from shipment s join pool p using (pool_id)`;

/** Units of these lots that are out of sale. */
export const QUARANTINED = "select fg_id, quarantined::int as units from lot where fg_id = any($1::uuid[])";

/** Events in the order in which they happened, a page at a time: their bodies are large. */
export const EVENTS = "select event_id, seq::int as seq, type, body from event where seq > $1 order by seq limit $2";

/** Is there a table of receipts? Not in every build. */
export const HAS_RECEIPTS = "select to_regclass('receipt') is not null as there";

/** Every receipt. */
export const RECEIPTS = `select r.receipt_id as id, r.version::int as version, p.brand_code
  from receipt r join pool p using (pool_id)`;

/** Where an order of a brand finds units: its own pool, and the shared one. */
export const POOLS_OF = "select pool_id from pool where brand_code = $1 or pool_id = 0";
