-- For the timeline of an order: what operators did with it.
create index audit_log_about on audit_log (about, seq);
