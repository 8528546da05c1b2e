-- Jobs are kept by graphile-worker, in a schema of its own, graphile_worker, whose tables its own migrations make and change. Here is
-- noted which version's migrations this database has seen, so that a start without anything to do need not load them; see
-- docs/decisions/0040.
create table job_schema (
  one     boolean primary key default true check (one),
  version text not null -- as in the package's own; empty: none yet
);
insert into job_schema values (true, '');
