-- Challenges that a browser has to sign with a passkey: each is used once, within minutes; see docs/decisions/0091.
create table operator_challenge (
  challenge   text primary key,               -- 256 random bits, base64url
  person_id   uuid references operator_person, -- who adds a passkey; null: somebody signs in
  expires_at  timestamptz not null
);
create index operator_challenge_by_expiry on operator_challenge (expires_at);

-- People who sign in at an OpenID Connect provider; see docs/decisions/0092.
alter table operator_person add column provider_subject text unique; -- issuer and subject; null: not by a provider
alter table operator_session add column by_provider boolean not null default false;
