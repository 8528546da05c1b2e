import type { Query } from "../../src/ground/pg/connect.ts";
import { ORDER_QUESTIONS } from "./audit-orders.ts";

/**
 * Errors in the balances of a database, as sentences; none if every unit is accounted for. Shares no code with the
 * service.
 */
export async function audit(db: Query): Promise<string[]> {
	const wrong: string[] = [];
	for (const [what, text] of Object.entries({ ...QUESTIONS, ...ORDER_QUESTIONS })) {
		const { rows } = await db.query(text);
		for (const row of rows) wrong.push(`${what}: ${JSON.stringify(row)}`);
	}
	return wrong;
}

const sumOf = (bucket: string): string =>
	`coalesce(sum(m.units) filter (where m.to_bucket = '${bucket}'), 0) - coalesce(sum(m.units) filter (where m.from_bucket = '${bucket}'), 0) as ${bucket}`;

const QUESTIONS: { readonly [what: string]: string } = {
	"a balance is not the sum of its moves": `
		select l.fg_id from lot l left join (
		    select m.fg_id, ${["available", "held", "allocated", "consumed", "shipped", "quarantined", "destroyed"].map(sumOf).join(", ")},
		           coalesce(sum(m.units) filter (where m.from_bucket = 'received'), 0) as received,
		           coalesce(sum(m.units) filter (where m.from_bucket = 'corrected'), 0) - coalesce(sum(m.units) filter (where m.to_bucket = 'corrected'), 0) as corrected
		      from (select fg_id, from_bucket, to_bucket, units from unit_move
		            union all select fg_id, 'nowhere', 'nowhere', 0 from lot) m group by m.fg_id) m using (fg_id)
		 where (l.available, l.held, l.allocated, l.consumed, l.shipped, l.quarantined, l.destroyed, l.received, l.corrected)
		       is distinct from (m.available, m.held, m.allocated, m.consumed, m.shipped, m.quarantined, m.destroyed, m.received, m.corrected)`,
	"units were made or lost": `
		select fg_id from lot
		 where received + corrected <> available + held + allocated + consumed + shipped + quarantined + destroyed`,
	"held units of a lot are not those of its parts": `
		select l.fg_id, l.held, p.units from lot l
		  cross join lateral (select coalesce(sum(units), 0) as units from part_now p where p.fg_id = l.fg_id and p.state = 'held') p
		 where l.held <> p.units`,
	"consumed units of a lot are not those of its parts": `
		select l.fg_id, l.consumed, p.units from lot l
		  cross join lateral (select coalesce(sum(units), 0) as units from part_now p where p.fg_id = l.fg_id and p.state = 'consumed') p
		 where l.consumed <> p.units`,
	"a part has a state that its hold cannot have": `
		select h.reservation_token, h.status, p.own_state from hold h join hold_part p using (reservation_token)
		 where (p.own_state = 'consumed' and h.status <> 'consumed') or (p.own_state = 'freed' and h.status in ('consumed', 'reversed'))`,
	"a hold holds more than was asked": `
		select h.reservation_token from hold h
		  cross join lateral (select coalesce(sum(units), 0) as units from part_now p
		     where p.reservation_token = h.reservation_token and p.state in ('held', 'consumed')) p
		  cross join lateral (select sum((line->>'qty')::int * (c->>'per_kit')::int) as units
		     from jsonb_array_elements(h.lines) line, jsonb_array_elements(line->'components') c) w
		 where p.units > w.units`,
	"a part has no hold or no lot": `
		select p.reservation_token, p.fg_id from hold_part p
		  left join hold h using (reservation_token) left join lot l using (fg_id)
		 where h.reservation_token is null or l.fg_id is null`,
	"a reference is active twice": `
		select key_id, external_ref from hold where status = 'active' and external_ref is not null
		 group by 1, 2 having count(*) > 1`,
};
