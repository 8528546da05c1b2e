-- Units of a batch number of which a lot is recalled come into quarantine, and buyers who look such a number up are warned: see
-- docs/decisions/0066 and 0067.
create index lot_recalled on lot (batch_number) where recalled_at is not null;

-- Ends the transaction in a conflict, so that it is run again, when units came free into these lots although a lot of their formula and batch
-- number is recalled by now. Asked last, under the lock that every recall takes.
create function refuse_recalled_batches(fg_ids uuid[]) returns void language plpgsql as $$
begin
  if exists (
    select from lot l join lot r on r.formula_id = l.formula_id and r.batch_number = l.batch_number and r.recalled_at is not null
     where l.fg_id = any(fg_ids)) then
    raise exception 'a lot of the same batch was recalled meanwhile' using errcode = 'serialization_failure';
  end if;
end $$;

-- A batch number as people may type it: without regard to capitals (of a to z), blanks, hyphens and dots. No rule of a locale has a part in it.
create function batch_spelling(batch_number text) returns text language sql immutable strict parallel safe
return upper(translate(batch_number,
  E' \t\n\r\u00a0\u2002\u2003\u2007\u2009\u200b\u202f\u00ad-\u2010\u2011\u2012\u2013\u2014\u2212.', '') collate "C");

-- A look-up of a buyer's begins with one of these; its second column tells in one step whether a spelling means one number or several.
create index lot_spelling on lot (batch_spelling(batch_number), batch_number);
create index certificate_spelling on certificate (batch_spelling(batch_number), batch_number) where version is not null and not reissued;
