-- People who sign in to the operator's API, their second factors and their sessions; see docs/decisions/0089.

create table operator_person (
  person_id         uuid primary key,
  name              text not null check (length(name) between 1 and 100), -- `operator:<name>` in ledger and audit log
  email             text,
  role              text not null check (role in ('viewer', 'warehouse', 'operator', 'admin')),
  state             text not null check (state in ('invited', 'active', 'suspended')),
  password          jsonb,                    -- algorithm, parameters, salt and hash; null: none was chosen yet
  password_set_at   timestamptz,
  link_digest       bytea unique,             -- SHA-256 of the token of the open set-up link; null: none is open
  link_expires_at   timestamptz,
  may_choose_name   boolean not null default false, -- of the first start's link
  created_by        text not null,
  created_at        timestamptz not null default clock_timestamp()
);
-- names are compared without case; a person is never deleted, so a name always means the same person
create unique index operator_person_name on operator_person (lower(name));

-- A browser in which a person is signed in.
create table operator_session (
  session_id  uuid primary key,
  digest      bytea not null unique,          -- SHA-256 of the cookie
  person_id   uuid not null references operator_person,
  address     text not null,
  user_agent  text not null,
  created_at  timestamptz not null default clock_timestamp(), -- of the sign-in
  seen_at     timestamptz not null default clock_timestamp(), -- of the last request, to within 30 seconds
  ended_at    timestamptz
);
create index operator_session_by_person on operator_session (person_id, created_at);

-- Second factors. A passkey with user verification is a whole sign-in.
create table operator_factor (
  factor_id     uuid primary key,
  person_id     uuid not null references operator_person,
  kind          text not null check (kind in ('totp', 'passkey')),
  name          text not null check (length(name) between 1 and 100),
  ring_id       text,                         -- of a TOTP secret: the entry of the key ring that encrypted it
  sealed        bytea,
  last_step     bigint,                       -- of a TOTP secret: the last accepted step, so that no code works twice
  credential_id text unique,                  -- of a passkey
  public_key    bytea,
  counter       bigint,
  transports    text[],
  created_at    timestamptz not null default clock_timestamp(),
  confirmed_at  timestamptz,                  -- null: its first code is still missing, and it does not count
  used_at       timestamptz
);
create index operator_factor_by_person on operator_factor (person_id, created_at);

-- One-time codes for who has lost every second factor.
create table operator_recovery_code (
  person_id uuid not null references operator_person,
  digest    bytea not null,                   -- SHA-256
  used_at   timestamptz,
  primary key (person_id, digest)
);

alter table audit_log drop constraint audit_log_via_check;
alter table audit_log add constraint audit_log_via_check check (via in ('token', 'socket', 'session'));
