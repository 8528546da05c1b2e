import { idsAndPlaces, plainArray, plainOrNone, textArray, textOrNone, timesAndPlaces } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { overSources, type Source } from "../../ground/pg/sources.ts";
import { SWEPT_TO } from "../stock/sql.ts";
import { type Hold, type HoldLine, type HoldStatus, type Part, type PartState, stateUnder } from "./hold.ts";
import type { BookWithHolds, HoldBook } from "./hold-book.ts";
import type { HoldNeeds, KeyRef, NamedToken } from "./needs.ts";

/*
 * Holds are locked in the order of their tokens, always after lots. Parts change only under the lock of their lot, and
 * so does the status that they follow: whoever ends a hold has locked the lots of the parts it moves. Lookups are
 * lateral with `offset 0` for the reason given in stock/sql.ts.
 */

const refColumns = (refs: readonly KeyRef[]): [keyIds: string, refs: string] => [
	plainArray(refs.map(({ keyId }) => keyId)),
	textArray(refs.map(({ ref }) => ref)),
];
const tokenColumns = (tokens: readonly NamedToken[]): [tokens: string, keyIds: string] => [
	plainArray(tokens.map(({ token }) => token)),
	plainArray(tokens.map(({ keyId }) => keyId)),
];

/**
 * How a batch's commands name holds: by token, by the reference of an active one, by the one they were consumed under.
 */
export type Named = Pick<HoldNeeds, "tokens" | "activeRefs" | "consumeRefs">;

const byToken = (first: number, condition = "") => `
	    select h.* from unnest($${first}::uuid[], $${first + 1}::uuid[]) n(token, key_id)
	     cross join lateral (
	       select reservation_token from hold
	        where reservation_token = n.token and (n.key_id is null or key_id = n.key_id)${condition} offset 0) h`;
const byRef = (first: number, condition: string) => `
	    select h.* from unnest($${first}::uuid[], $${first + 1}::text[]) r(key_id, ref)
	     cross join lateral (
	       select reservation_token from hold where key_id = r.key_id and ${condition} offset 0) h`;
const lotsOf = (tokens: string) => `
	    select x.fg_id from (${tokens}) t(token)
	     cross join lateral (
	      select fg_id from hold_part where reservation_token = t.token and own_state is null offset 0) x`;

const tokensAsked: Omit<Source<Named>, "text"> = {
	values: ({ tokens }) => tokenColumns(tokens),
	isAsked: ({ tokens }) => tokens.length > 0,
};
const consumeRefsAsked: Omit<Source<Named>, "text"> = {
	values: ({ consumeRefs }) => refColumns(consumeRefs),
	isAsked: ({ consumeRefs }) => consumeRefs.length > 0,
};

const ACTIVE_REFS: Source<Named> = {
	text: (first) => byRef(first, "external_ref = r.ref and status = 'active'"),
	values: ({ activeRefs }) => refColumns(activeRefs),
	isAsked: ({ activeRefs }) => activeRefs.length > 0,
};

/** Tokens of the holds that a batch names. */
export const NAMES: readonly Source<Named>[] = [
	{ ...tokensAsked, text: (first) => byToken(first) },
	ACTIVE_REFS,
	{ ...consumeRefsAsked, text: (first) => byRef(first, "consume_ref = r.ref") },
];

/** Lots that the units of the named holds are bound to, or were consumed from. */
export const LOTS_OF_HOLDS: readonly Source<Named>[] = [
	{ ...tokensAsked, text: (first) => lotsOf(byToken(first, " and status in ('active', 'consumed', 'placed')")) },
	{ ...consumeRefsAsked, text: (first) => lotsOf(byRef(first, "consume_ref = r.ref and status = 'consumed'")) },
];

const reservedRefs = prepared<[keyId: string, ref: string, placed: boolean]>(
	"reserved_refs",
	`select h.key_id, h.external_ref, bool_or(h.status = 'placed')
	   from unnest($1::uuid[], $2::text[]) r(key_id, ref)
	  cross join lateral (
	    select key_id, external_ref, status from hold
	     where key_id = r.key_id and external_ref = r.ref and status = 'active'
	    union all
	    select key_id, external_ref, status from hold
	     where key_id = r.key_id and external_ref = r.ref and status <> 'active') h
	  group by 1, 2`,
);
/** Which references anything was ever reserved under, and whether any of it became an order. */
export const findReservedRefs = (tx: Query, refs: readonly KeyRef[]) => reservedRefs(tx, refColumns(refs));

export type HoldRow = [
	token: string,
	keyId: string,
	partnerId: string,
	status: HoldStatus,
	externalRef: string | null,
	consumeRef: string | null,
	createdAt: number,
	expiresAt: number,
	consumedUnits: number | null,
	returnedUnits: number | null,
	/**
	 * Of holds that may be replayed, and where they were asked for; else null: they are long, and a hold that is whole
	 * is ended without them.
	 */
	lines: HoldLine[] | null,
];
const HOLD_COLUMNS = `reservation_token, key_id, partner_id, status, external_ref, consume_ref,
	        round(extract(epoch from created_at) * 1000)::bigint, round(extract(epoch from expires_at) * 1000)::bigint,
	        consumed_units, returned_units`;

const lockNamedHolds = overSources<Named, HoldRow>(
	"lock_holds",
	NAMES,
	(tokens, firstOf) => `select ${HOLD_COLUMNS},
	        case when reservation_token = any($1::uuid[])${isReplayed(firstOf(ACTIVE_REFS))} then lines end
	   from hold
	  where reservation_token = any(array(${tokens}))
	  order by reservation_token for update`,
	1,
);
const isReplayed = (keyIds: number | null): string =>
	keyIds === null ? "" : ` or (status = 'active' and external_ref = any($${keyIds + 1}))`;
const readNamedHolds = prepared<HoldRow>(
	"read_holds",
	`select ${HOLD_COLUMNS}, lines from hold where reservation_token = any($1::uuid[])`,
);
/** Reads holds with their lines, without locks: for reports. */
export const readHolds = (db: Query, tokens: readonly string[]) => readNamedHolds(db, [plainArray(tokens)]);

export function toHold(row: HoldRow): Hold {
	const [token, keyId, partnerId, status, externalRef, consumeRef, ...rest] = row;
	const [createdAt, expiresAt, consumedUnits, returnedUnits, lines] = rest;
	const names = { token, keyId, partnerId, status, externalRef, consumeRef };
	return { ...names, createdAt, expiresAt, consumedUnits, returnedUnits, lines, parts: [] };
}
/** Locks and reads the named holds. */
export const lockHolds = (tx: Query, needs: Named & Pick<HoldNeeds, "linesOf">) =>
	lockNamedHolds(tx, needs, [plainArray([...needs.linesOf])]);

/** What was granted. Never changes. */
export const selectLines = prepared<[token: string, lines: HoldLine[]]>(
	"select_lines",
	"select reservation_token, lines from hold where reservation_token = any($1::uuid[])",
);

export type PartRow = [
	token: string,
	ordinal: number,
	line: number,
	formulaId: string,
	fgId: string,
	poolId: number,
	units: number,
	/** Null: the part follows its hold. */
	ownState: PartState | null,
];
/** The part of a hold in this status, and the state that its row has of its own. */
export function toPart(row: PartRow, status: HoldStatus): { token: string; part: Part; ownState: PartState | null } {
	const [token, ordinal, line, formulaId, fgId, poolId, units, ownState] = row;
	return {
		token,
		part: { ordinal, line, formulaId, fgId, poolId, units, state: ownState ?? stateUnder[status] },
		ownState,
	};
}
const PART_COLUMNS = "p.reservation_token, p.ordinal, p.line, p.formula_id, p.fg_id, p.pool_id, p.units, p.own_state";
/** Parts of the holds that `lockHolds` locks; of those that a reserve may replay only while replays are expected. */
export const selectParts = overSources<Named & Pick<HoldNeeds, "replaysExpected">, PartRow>(
	"select_parts",
	NAMES.map((source) =>
		source === ACTIVE_REFS ? { ...source, isAsked: (needs) => needs.replaysExpected && source.isAsked(needs) } : source,
	),
	(tokens) => `select ${PART_COLUMNS} from hold_part p
	  where p.reservation_token = any(array(${tokens}))
	  order by 1, 2`,
);

const readNamedParts = prepared<PartRow>(
	"read_parts",
	`select ${PART_COLUMNS} from hold_part p where p.reservation_token = any($1::uuid[]) order by 1, 2`,
);
/** Reads the parts of holds: of those that are locked, or for reports. */
export const readParts = (db: Query, tokens: readonly string[]) => readNamedParts(db, [plainArray(tokens)]);

/**
 * Parts still held of these formulas or on these lots although their hold is past its end. The sweep keeps such holds
 * few.
 */
export const selectLapsedParts = prepared<PartRow>(
	"select_lapsed_parts",
	`select ${PART_COLUMNS} from hold h
	  cross join lateral (
	    select * from hold_part
	     where reservation_token = h.reservation_token and own_state is null
	       and (formula_id = any($1::uuid[]) or fg_id = any($2::uuid[])) offset 0) p
	  where h.ended_at is null and h.expires_at <= statement_timestamp() and h.expires_at >= ${SWEPT_TO}`,
);

const updateHolds = prepared(
	"update_holds",
	`update hold h set status = n.status, consume_ref = n.consume_ref, consumed_units = n.consumed_units,
	        returned_units = n.returned_units, ended_at = case when n.status = 'active' then null else coalesce(h.ended_at, $6) end,
	        expires_at = case when n.status = 'expired' then least(h.expires_at, $6) else h.expires_at end
	   from (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $7::uuid[])
	           u(token, status, consume_ref, consumed_units, returned_units, key_id) order by key_id, consume_ref) n
	  where h.reservation_token = n.token`,
);
const insertHolds = prepared(
	"insert_holds",
	`insert into hold (reservation_token, key_id, partner_id, status, external_ref, lines, created_at, expires_at,
	                   consume_ref, consumed_units, returned_units, ended_at)
	 select token, ($2::uuid[])[key], ($4::uuid[])[partner], status, external_ref, lines, ($6::timestamptz[])[created],
	        ($6::timestamptz[])[expires], consume_ref, consumed_units, returned_units,
	        case when status <> 'active' then ($6::timestamptz[])[created] end
	   from rows from (
	          unnest($1::uuid[], $3::int[], $5::int[], $7::int[], $8::int[], $9::text[], $10::text[], $11::text[], $12::int[], $13::int[]),
	          jsonb_array_elements($14::jsonb))
	     u(token, key, partner, created, expires, status, external_ref, consume_ref, consumed_units, returned_units, lines)
	  order by ($2::uuid[])[key], external_ref`,
);
const updateParts = prepared(
	"update_parts",
	`update hold_part p set units = n.units, own_state = n.own_state
	   from unnest($1::uuid[], $2::int[], $3::int[], $4::text[]) n(token, ordinal, units, own_state)
	  where p.reservation_token = n.token and p.ordinal = n.ordinal`,
);
const insertParts = prepared(
	"insert_parts",
	`insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units, own_state)
	 select ($1::uuid[])[n], ordinal, line, formula_id, fg_id, pool_id, units, own_state
	   from unnest($2::int[], $3::int[], $4::int[], $5::uuid[], $6::uuid[], $7::int[], $8::int[], $9::text[])
	     p(n, ordinal, line, formula_id, fg_id, pool_id, units, own_state)`,
);

/**
 * Queues the statements that write what the book's commands did to holds. Changed holds before new ones: an expired
 * hold must leave its reference before another takes it. Both in a fixed order, because two transactions may meet at a
 * unique index.
 */
export function saveHolds(tx: Query, { holds, now }: BookWithHolds): Promise<unknown>[] {
	const sent: Promise<unknown>[] = [];
	if (holds.changedHolds.size > 0) sent.push(updateHolds(tx, changedColumns([...holds.changedHolds], now)));
	if (holds.newHolds.size > 0) sent.push(insertHolds(tx, newColumns([...holds.newHolds])));
	const changed = rewrittenParts(holds);
	if (changed.length > 0) sent.push(updateParts(tx, partColumns(changed)));
	if (holds.newParts.size > 0) sent.push(insertParts(tx, newPartColumns(holds.newParts)));
	return sent;
}

/** A part's row as it is to be. */
interface PartToSave {
	readonly token: string;
	readonly ordinal: number;
	readonly units: number;
	/** Null: the part follows its hold. */
	readonly ownState: PartState | null;
}

/**
 * Parts whose rows no longer say what is so. Most holds end whole: then their parts follow them, and there are none.
 */
function rewrittenParts({ changedHolds, changedParts, newParts, ownStates }: HoldBook): PartToSave[] {
	const parts = new Map(changedParts);
	for (const hold of changedHolds) {
		for (const part of hold.parts) {
			const said = ownStates.get(part) ?? stateUnder[hold.status];
			if (part.state !== said && !newParts.has(part)) parts.set(part, hold);
		}
	}
	return [...parts].map(([part, { token, status }]) => ({ ...part, token, ownState: ownStateOf(part, status) }));
}

const ownStateOf = ({ state }: Part, status: HoldStatus): PartState | null =>
	state === stateUnder[status] ? null : state;

const partColumns = (parts: readonly PartToSave[]): string[] =>
	(["token", "ordinal", "units", "ownState"] as const).map((name) => plainArray(parts.map((part) => part[name])));

/** Tokens are sent once and named by their place, from 1. */
function newPartColumns(newParts: HoldBook["newParts"]): (string | null)[] {
	const holds: Hold[] = [];
	const places: number[] = [];
	for (const hold of newParts.values()) {
		if (hold !== holds.at(-1)) holds.push(hold);
		places.push(holds.length);
	}
	const parts = [...newParts.keys()];
	const columns = (["ordinal", "line", "formulaId", "fgId", "poolId", "units"] as const).map((name) =>
		plainArray(parts.map((part) => part[name])),
	);
	const states = [...newParts].map(([part, { status }]) => ownStateOf(part, status));
	return [plainArray(holds.map(({ token }) => token)), plainArray(places), ...columns, plainOrNone(states)];
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

const changedColumns = (holds: readonly Hold[], now: number): string[] => [
	plainArray(holds.map((hold) => hold.token)),
	plainArray(holds.map((hold) => hold.status)),
	textArray(holds.map((hold) => hold.consumeRef)),
	plainArray(holds.map((hold) => hold.consumedUnits)),
	plainArray(holds.map((hold) => hold.returnedUnits)),
	iso(now),
	plainArray(holds.map((hold) => hold.keyId)),
];

const newColumns = (holds: readonly Hold[]): (string | null)[] => [
	plainArray(holds.map((hold) => hold.token)),
	...idsAndPlaces(holds.map((hold) => hold.keyId)),
	...idsAndPlaces(holds.map((hold) => hold.partnerId)),
	...timesAndPlaces([holds.map((hold) => hold.createdAt), holds.map((hold) => hold.expiresAt)]),
	plainArray(holds.map((hold) => hold.status)),
	textArray(holds.map((hold) => hold.externalRef)),
	textOrNone(holds.map((hold) => hold.consumeRef)),
	plainOrNone(holds.map((hold) => hold.consumedUnits)),
	plainOrNone(holds.map((hold) => hold.returnedUnits)),
	JSON.stringify(holds.map((hold) => hold.lines)),
];

/** Tokens of active holds past their end, the longest overdue first. */
export const selectDueTokens = prepared<[token: string]>(
	"select_due_tokens",
	`select reservation_token from hold
	  where ended_at is null and expires_at <= now() and expires_at >= ${SWEPT_TO}
	    and reservation_token <> all($2::uuid[]) order by expires_at limit $1`,
);
