-- Figures over time of one key, or of one webhook endpoint, by the minute and by the hour; see docs/decisions/0099.
-- A row has a whole hour of minutes, or a whole day (UTC) of hours, so that a figure costs a few bytes and not a row.
-- No foreign keys: nothing relies on an owner still being there.
create table owned_series (
  owner  uuid not null,                 -- api_key.key_id, or webhook_endpoint.endpoint_id for deliveries
  name   text not null,                 -- of the series, such as holds
  step   text not null check (step in ('minute', 'hour')),
  at     timestamptz not null,          -- the beginning of the hour whose minutes it has, or of the day whose hours
  label  text not null,                 -- of one line of the series, such as an outcome
  counts integer[] not null,            -- how often it happened, in each minute or hour
  primary key (owner, name, step, at, label),
  check (cardinality(counts) = case step when 'minute' then 60 else 24 end)
) with (fillfactor = 80);               -- the rows of the present are changed every ten seconds
create index owned_series_by_time on owned_series (step, at); -- to delete old ones
