/*
 * Orders whose customers were erased, and what is kept about them, in the form of verify-sql.ts. What is found is
 * named by its place, never by its text: a report is read by more people than a customer's address. What receivers
 * answered is not checked: a delivery may be attempted after the erasure, and its answer is kept.
 */

/** Names of fields that hold what a customer is called, where a customer lives, or words that somebody typed. */
const PERSONAL = "^(customer|name|email|phone|ship_to|company|line1|line2|city|state|postal_code|note|detail)$";

/** The personal fields of a document that are not empty, at any depth; null: there are none. */
const personalIn = (document: string): string => `(
    select string_agg(distinct f.field #>> '{}', ', ')
      from jsonb_path_query(${document},
        'strict $.** ? (@.type() == "object").keyvalue() ? (@.key like_regex "${PERSONAL}" && @.value != null && @.value != "").key') f(field))`;

/** Customers' data that is left in an order whose customer was erased, or in what else is kept about the order. */
export const ERASED = `
with
  erased as (select order_id, customer, note, cancel_reason, hold_detail from orders where customer_erased_at is not null),
  told as (
    select e.order_id, t.event_id, t.body::jsonb as body
      from erased e join event t using (order_id) where t.pruned_at is null),
  places as (
    select order_id, 'the order' as place, concat_ws(', ',
           ${personalIn("customer")}, case when note is not null then 'note' end,
           case when cancel_reason is not null then 'cancel_reason' end, case when hold_detail is not null then 'hold_detail' end) as fields
      from erased
    union all
    select e.order_id, 'box ' || s.shipment_id, ${personalIn("s.items")}
      from erased e join (select unnest(order_ids) as order_id, shipment_id, items from shipment) s using (order_id)
    union all
    select order_id, 'event ' || event_id, ${personalIn("body")} from told
    union all
    select e.order_id, 'what the label platform said', 'detail'
      from erased e join label_push p using (order_id) where p.detail is not null)
select 'customer-erased', 'order ' || order_id || ', ' || place, 'nothing of its customer but the country', fields
  from places where fields <> ''`;
