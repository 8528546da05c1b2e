-- Digests of what never changes once it is written, so that `holdfast verify` can tell that it was changed; see docs/decisions/0068.

-- Digests of the ledger and of the facts of events, in runs of their numbers. A task writes them a day later: no write of anybody waits for it.
create table history_digest (
  kind      text not null check (kind in ('move', 'event')),
  after     bigint not null,             -- the number before the first: that which the run before ends with
  upto      bigint not null,             -- the last number
  rows      bigint not null,
  digest    numeric not null,            -- the sum of the digests of its rows
  made_at timestamptz not null default now(),
  primary key (kind, after),             -- of two nodes that make one at once, one does
  check (upto > after and rows > 0)
);

-- 60 bits of SHA-256.
create function digest_of(text) returns bigint language sql immutable parallel safe
return ('x' || left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 15))::bit(60)::bigint;

-- What is printed on a lot's label, and when it came: nothing changes it. In the same form on every server.
create function label_digest(fg_id uuid, formula_id uuid, pool_id integer, batch_number text, expires_on date, received_on date)
  returns bigint language sql immutable parallel safe
return digest_of(fg_id || '|' || formula_id || '|' || pool_id || '|' || coalesce(expires_on - date '2000-01-01', -1000000000) || '|'
                 || (received_on - date '2000-01-01') || '|' || batch_number);

alter table lot add column label_digest bigint; -- written once, with the row: a batch never reads or writes it
create function digest_label() returns trigger language plpgsql as $$
begin
  new.label_digest := label_digest(new.fg_id, new.formula_id, new.pool_id, new.batch_number, new.expires_on, new.received_on);
  return new;
end $$;
create trigger lot_label_digested before insert on lot for each row when (new.label_digest is null) execute function digest_label();
update lot set label_digest = label_digest(fg_id, formula_id, pool_id, batch_number, expires_on, received_on);
