/**
 * The end of a statement that records events, and a delivery of each for every active endpoint that chose its type.
 * It follows a common table expression `told` with the events, each with its place `n` from 1 on, and takes their
 * numbers (docs/decisions/0029). Endpoints are read without a lock: if one becomes inactive at the same moment, its
 * sender drops the deliveries. In the unkind hour of a go-live new events wait for a while, but not messages to one
 * endpoint. `forEndpoint`: SQL of the only endpoint that is sent them, whatever types it chose, or of null.
 */
export const recordTold = (forEndpoint = "null::uuid"): string => `
 numbered as materialized (
   select take_numbers('event_epoch', count) - count as before from (select count(*) from told) c where count > 0),
 written as (
   insert into event (event_id, seq, partner_id, environment, type, order_id, created_at, body)
   select event_id, before + n, partner_id, environment, type, order_id, created_at, body from numbered cross join told
   returning event_id, seq, partner_id, environment, type)
 insert into webhook_delivery (endpoint_id, seq, event_id, next_attempt_at)
 select w.endpoint_id, e.seq, e.event_id, greatest(now(), case when ${forEndpoint} is null then w.late_until end) from written e
   join webhook_endpoint w on w.partner_id = e.partner_id and w.environment = e.environment and w.deleted_at is null
    and w.status = 'active' and (e.type = any(w.event_types) or w.endpoint_id = ${forEndpoint})
  where ${forEndpoint} is null or w.endpoint_id = ${forEndpoint}`;
