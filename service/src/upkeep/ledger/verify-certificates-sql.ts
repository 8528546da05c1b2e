/* Rules for certificates, in the form of verify-sql.ts: each statement returns only violations. */

const CERTIFICATES = `
select 'certificate-recalled', 'certificate ' || c.product_slug || ' ' || c.batch_number, 'retired: lot ' || l.fg_id || ' is recalled', c.status
  from certificate c join certificate_lot b using (certificate_id) join lot l using (fg_id)
 where l.recalled_at is not null and c.status = 'current'
union all
select 'certificate-file', 'certificate ' || c.product_slug || ' ' || c.batch_number, 'its PDF among its files', 'not there'
  from certificate c left join certificate_file f on f.certificate_id = c.certificate_id and f.digest = c.file_digest
 where f.digest is null
union all
select 'certificate-twice', 'product ' || product_slug || ', batch ' || batch_number, '1 record in the feed', count(*)::text
  from certificate where version is not null and not reissued group by product_slug, batch_number having count(*) > 1
   and bool_and(status <> 'draft')
union all
select 'certificate-order', 'certificate ' || product_slug || ' ' || batch_number, 'changed no earlier than change ' || before_version,
       'earlier'
  from (select product_slug, batch_number, updated_at, lag(updated_at) over w as before, lag(version) over w as before_version
          from certificate where version is not null window w as (order by version)) c
 where updated_at < before
union all
select 'epoch', 'certificates', 'no change above ' || e.version, 'change ' || m.last
  from certificate_epoch e, (select max(version) as last from certificate) m where m.last > e.version`;

export const CERTIFICATE_STATEMENTS = { CERTIFICATES } as const;
