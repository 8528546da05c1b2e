-- Long work of operators, which goes on when its caller has gone and when the node that carries it out dies; see
-- docs/decisions/0082.

create table operator_run (
  run_id     uuid primary key,
  operation  text not null,                   -- the id of the operation that started it
  about      text not null,                   -- the thing that it is about, by its own name
  actor      text not null,                   -- operator:<name>
  request_id text not null,
  status     text not null check (status in ('running', 'done', 'failed', 'stopped')),
  stop_asked boolean not null default false,
  state      jsonb not null,                  -- what the next step needs; written in the transaction of each step
  done       bigint not null,
  total      bigint,                          -- null: not known
  result     jsonb,                           -- so far, until it ends; null: nothing was done yet
  error      jsonb,                           -- code and message, of a failed run
  started_at timestamptz not null default clock_timestamp(),
  ended_at   timestamptz,
  fence      bigint not null default 1,       -- how often nodes took it: a node that lost it writes nothing any more
  held_until timestamptz not null,            -- until then no other node takes it
  check ((status = 'running') = (ended_at is null))
);
create index operator_run_running on operator_run (held_until) where status = 'running';
create index operator_run_by_operation on operator_run (operation, run_id desc);
