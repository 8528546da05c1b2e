import { envelopeOf } from "../../partners/webhooks/event.ts";
import { recordTold } from "../../partners/webhooks/record-sql.ts";

/** Stands in a body for a column. */
const hole = (column: string): string => `{{${column}}}`;

const BODY = envelopeOf(
	"certificate.retired",
	hole("environment"),
	{
		product: { slug: hole("product_slug"), name: hole("product_name") },
		batch_number: hole("batch_number"),
		verify_url: hole("verify_url"),
	},
	hole("happened"),
);

/** The body as SQL: the text that every other event has, with columns in its holes. */
const BODY_SQL = BODY.split(/"\{\{(\w+)\}\}"/)
	.map((part, index) => (index % 2 === 0 ? `'${part}'` : `to_json(${part})::text`))
	.join(" || ");

/** The columns of a certificate that `tellRetired` needs. */
export const RETIRED = "certificate_id, product_slug, product_name, batch_number, environment, version, updated_at";

/**
 * The end of a statement that retires certificates. It records `certificate.retired` for every partner that has chosen
 * it for an endpoint of the certificates' environment, and that may read the feed there: its certificates are the same
 * for all keys of an environment (docs/decisions/0041). A suspension or a drill does not count, because it passes. The
 * id follows from the certificate, its number in the feed and the partner. The statement has the common table
 * expressions `retired`, with the columns RETIRED after the change, and `shown`, with the page of each batch number.
 */
export const tellRetired = (): string => `
 hearer as materialized (
   select distinct w.partner_id, w.environment from webhook_endpoint w
    where w.deleted_at is null and 'certificate.retired' = any(w.event_types)
      and exists (select from api_key k where k.partner_id = w.partner_id and k.environment = w.environment
                     and 'atp.products' = any(k.scopes) and (k.expires_at is null or k.expires_at > now())
                     and (k.revoke_at is null or k.revoke_at > now()))),
 told as materialized (
   select 'evt_' || left(encode(sha256(convert_to(concat_ws(' ', certificate_id, version, partner_id), 'UTF8')), 'hex'), 32) as event_id,
          partner_id, environment, 'certificate.retired' as type, null::uuid as order_id, updated_at as created_at,
          row_number() over (order by version, partner_id) as n, ${BODY_SQL} as body
     from (select r.*, h.partner_id, s.verify_url,
                  to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as happened
             from retired r join hearer h using (environment) join shown s using (batch_number)) r),${recordTold()}`;
