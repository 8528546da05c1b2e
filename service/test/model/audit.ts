import type { Query } from "../../src/pg/connect.ts";

/** What is wrong with the books of a database, in sentences; none when every unit is accounted for. Not the service's own code. */
export async function audit(db: Query): Promise<string[]> {
	const wrong: string[] = [];
	for (const [what, text] of Object.entries(QUESTIONS)) {
		const { rows } = await db.query(text);
		for (const row of rows) wrong.push(`${what}: ${JSON.stringify(row)}`);
	}
	return wrong;
}

const sumOf = (bucket: string): string =>
	`coalesce(sum(m.units) filter (where m.to_bucket = '${bucket}'), 0) - coalesce(sum(m.units) filter (where m.from_bucket = '${bucket}'), 0) as ${bucket}`;

const QUESTIONS: { readonly [what: string]: string } = {
	"a balance is not the sum of its moves": `
		select l.fg_id from lot l left join lateral (
		    select ${["available", "held", "allocated", "consumed", "shipped", "quarantined", "destroyed"].map(sumOf).join(", ")},
		           coalesce(sum(m.units) filter (where m.from_bucket = 'received'), 0) as received,
		           coalesce(sum(m.units) filter (where m.from_bucket = 'corrected'), 0) - coalesce(sum(m.units) filter (where m.to_bucket = 'corrected'), 0) as corrected
		      from unit_move m where m.fg_id = l.fg_id) m on true
		 where (l.available, l.held, l.allocated, l.consumed, l.shipped, l.quarantined, l.destroyed, l.received, l.corrected)
		       <> (m.available, m.held, m.allocated, m.consumed, m.shipped, m.quarantined, m.destroyed, m.received, m.corrected)`,
	"units were made or lost": `
		select fg_id from lot
		 where received + corrected <> available + held + allocated + consumed + shipped + quarantined + destroyed`,
	"held units of a lot are not those of its parts": `
		select l.fg_id, l.held, p.units from lot l
		  cross join lateral (select coalesce(sum(units), 0) as units from hold_part where fg_id = l.fg_id and state = 'held') p
		 where l.held <> p.units`,
	"consumed units of a lot are not those of its parts": `
		select l.fg_id, l.consumed, p.units from lot l
		  cross join lateral (select coalesce(sum(units), 0) as units from hold_part where fg_id = l.fg_id and state = 'consumed') p
		 where l.consumed <> p.units`,
	"a hold that ended holds units": `
		select h.reservation_token, h.status from hold h join hold_part p using (reservation_token)
		 where (p.state = 'held' and h.status <> 'active') or (p.state = 'consumed' and h.status <> 'consumed')`,
	"a hold holds more than was asked": `
		select h.reservation_token from hold h
		  cross join lateral (select coalesce(sum(units), 0) as units from hold_part p
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
