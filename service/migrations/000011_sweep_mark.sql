-- Up to where the sweep has ended every hold: no active hold ends before it. Whoever looks for overdue holds begins there, because
-- a long snapshot elsewhere (a dump, a verify) keeps the index entries of all holds that have ended since; see docs/decisions/0023.
create table sweep_mark (
  one      boolean primary key default true check (one),
  swept_to timestamptz not null -- the database's clock; a mark ahead of the clock says nothing
);
insert into sweep_mark values (true, '-infinity');
