-- Figures over time, by the minute and by the hour; see docs/decisions/0094. Counts are added up by all nodes; states,
-- such as the units of a pool, are overwritten by the last sample of their minute or hour.
create table series_point (
  name  text not null,                -- of the series, such as holds
  step  text not null check (step in ('minute', 'hour')),
  at    timestamptz not null,         -- the beginning of the minute or hour
  label text not null,                -- of one line of the series, such as an outcome
  value bigint not null,
  primary key (name, step, at, label)
);
