-- Go-live runs of sandbox keys: what a run saw and did, what people said of it, and its report; see docs/decisions/0095.

-- Until then a sandbox key is refused like a revoked one, for a drill. It ends by the clock: nothing has to run for it.
alter table api_key add column drill_until timestamptz,
  add column unkind_until timestamptz,  -- until then the sandbox is unkind to it; see docs/decisions/0095
  add column golive_number integer, -- the report with which it was minted
  add constraint api_key_drill_is_of_the_sandbox check (drill_until is null or environment = 'sandbox'),
  add constraint api_key_unkind_hour_is_of_the_sandbox check (unkind_until is null or environment = 'sandbox');

-- Until then events of the sandbox that are new are not sent to it, so that an unkind hour has one that is late.
alter table webhook_endpoint add column late_until timestamptz,
  add constraint webhook_endpoint_late_is_of_the_sandbox check (late_until is null or environment = 'sandbox');

create table golive_run (
  golive_id     uuid primary key,
  number        integer not null unique check (number > 0), -- 1, 2, 3, … as reports are numbered
  key_id        uuid not null references api_key,
  state         text not null check (state in ('running', 'stopped', 'finished')),
  started_at    timestamptz not null default clock_timestamp(),
  started_by    text not null,                 -- operator:<name>
  status_url    text,                          -- where the partner shows what it shows; null: nowhere
  mapped        text[] not null default '{}',  -- the SKUs that it has shown
  ended_at      timestamptz,
  ended_by      text,
  end_reason    text,
  report        jsonb,                         -- of a finished run: never changes
  digest        text,                          -- SHA-256 of the report, in hexadecimal digits
  production_key uuid references api_key,
  -- when the next step of each kind is due; null: none is
  look_due_at        timestamptz,
  probes_due_at      timestamptz,
  repeat_due_at      timestamptz,              -- the message with an id that was sent before
  certificate_due_at timestamptz,              -- publishes the certificate that is retired
  retirement_due_at  timestamptz,
  unkind_due_at      timestamptz,              -- the events of an unkind hour
  held_until         timestamptz,              -- until then the node that took its steps has them for itself
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'finished') = (report is not null)),
  check ((report is null) = (digest is null) and (report is null) = (production_key is null))
);
create unique index golive_run_running on golive_run (key_id) where state = 'running';
create index golive_run_by_key on golive_run (key_id, number desc);

create function refuse_golive_change() returns trigger language plpgsql as $$
begin
  raise exception 'the report of a finished go-live never changes';
end $$;
create trigger golive_report_is_final before update or delete on golive_run for each row
  when (old.state = 'finished') execute function refuse_golive_change();

-- What a partner showed, beside the counts and documents of that instant.
create table golive_look (
  golive_id uuid not null references golive_run,
  at        timestamptz not null,
  look_id   text not null,                     -- of `posted`: the id of the request
  source    text not null check (source in ('address', 'posted')),
  problem   text,                              -- why it could not be read; null: it was
  items     jsonb not null,
  counts    jsonb not null,                    -- by SKU
  documents jsonb not null,                    -- addresses by SKU
  primary key (golive_id, at, look_id)
);

-- A message that the run sent to the partner's endpoint.
create table golive_probe (
  delivery_id text primary key,
  golive_id   uuid not null references golive_run,
  at          timestamptz not null,
  kind        text not null check (kind in ('bad_signature', 'old_timestamp', 'repeated_id', 'double_signature', 'good')),
  repeats     text references golive_probe,
  event_id    text not null,
  body        text not null,
  status      integer,                         -- of the answer; null: there was none
  error       text
);
create index golive_probe_by_run on golive_probe (golive_id, at);

create table golive_drill (
  golive_id  uuid not null references golive_run,
  from_at    timestamptz not null,
  until_at   timestamptz not null,             -- earlier than ten minutes later if it was stopped
  started_by text not null,                    -- operator:<name> or key:<public half>
  primary key (golive_id, from_at)
);

-- A sandbox certificate that was published, and retired, for a run.
create table golive_retirement (
  golive_id    uuid not null references golive_run,
  slug         text not null,
  batch_number text not null,
  skus         text[] not null,
  document     text not null,                  -- the address of its PDF
  published_at timestamptz not null,
  retired_at   timestamptz,
  primary key (golive_id, batch_number)
);

-- What a person said of a check: a verdict, or that the run may finish without it.
create table golive_review (
  golive_id uuid not null references golive_run,
  at        timestamptz not null default clock_timestamp(),
  check_name text not null,
  kind      text not null check (kind in ('verdict', 'waiver')),
  passed    boolean,                           -- of a verdict
  by        text not null,                     -- operator:<name>
  words     text not null,
  primary key (golive_id, at, check_name),
  check ((kind = 'verdict') = (passed is not null))
);

-- An hour in which the sandbox is unkind to the key, and the events that it sent twice or late. How it answered
-- requests follows from their ids.
create table golive_unkind_hour (
  golive_id  uuid not null references golive_run,
  from_at    timestamptz not null,
  until_at   timestamptz not null,
  started_by text not null,
  primary key (golive_id, from_at)
);
create table golive_unkind_act (
  golive_id uuid not null references golive_run,
  at        timestamptz not null,
  id        text not null,                     -- of the request or the delivery
  kind      text not null check (kind in ('retry', 'rate_limited', 'new_field', 'event_twice', 'event_late')),
  primary key (golive_id, at, id, kind)
);
