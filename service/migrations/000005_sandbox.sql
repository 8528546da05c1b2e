-- When the sandbox's test SKUs were last restocked.
create table sandbox_restock (
  one          boolean primary key default true check (one),
  restocked_on date not null
);
insert into sandbox_restock values (true, '-infinity');
