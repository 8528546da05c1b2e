import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { prepared } from "../../ground/pg/query.ts";
import { overSources, type Source } from "../../ground/pg/sources.ts";
import {
	type ColumnsOf,
	id,
	int,
	json,
	ms,
	nullable,
	pick,
	readerOf,
	repeated,
	sentRows,
	text,
	time,
	word,
} from "../../ground/pg/table.ts";
import { SWEPT_TO } from "../stock/sql.ts";
import { type Hold, type HoldLine, type HoldStatus, type Part, type PartState, stateUnder } from "./hold.ts";
import type { BookWithHolds, HoldBook } from "./hold-book.ts";
import type { HoldNeeds, KeyRef, NamedToken } from "./needs.ts";

/*
 * Holds are locked in the order of their tokens, always after lots. A part, and the hold status that its state follows,
 * change only while the part's lot is locked: a command that ends a hold has locked the lots of the parts it moves.
 * Lookups are lateral joins with `offset 0` for the reason given in stock/sql.ts.
 */

const refColumns = (refs: readonly KeyRef[]): [keyIds: string, refs: string] => [
	plainArray(refs.map(({ keyId }) => keyId)),
	textArray(refs.map(({ ref }) => ref)),
];
const tokenColumns = (tokens: readonly NamedToken[]): [tokens: string, keyIds: string] => [
	plainArray(tokens.map(({ token }) => token)),
	plainArray(tokens.map(({ keyId }) => keyId)),
];

/** How commands name holds: by token, by the reference of an active hold, or by the reference of a consume. */
type Named = Pick<HoldNeeds, "tokens" | "activeRefs" | "consumeRefs">;

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

const NAMES: readonly Source<Named>[] = [
	{ ...tokensAsked, text: (first) => byToken(first) },
	ACTIVE_REFS,
	{ ...consumeRefsAsked, text: (first) => byRef(first, "consume_ref = r.ref") },
];

/** Lots that units of the named holds are bound to or were consumed from. */
export const LOTS_OF_HOLDS: readonly Source<Named>[] = [
	{ ...tokensAsked, text: (first) => lotsOf(byToken(first, " and status in ('active', 'consumed', 'placed')")) },
	{ ...consumeRefsAsked, text: (first) => lotsOf(byRef(first, "consume_ref = r.ref and status = 'consumed'")) },
];

const selectUsedRefs = prepared<[keyId: string, ref: string, placed: boolean]>(
	"select_used_refs",
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
/** Those of these references that were ever used by a reserve, and whether a hold under them became an order. */
export const findUsedRefs = (tx: Query, refs: readonly KeyRef[]) => selectUsedRefs(tx, refColumns(refs));

const HOLD: ColumnsOf<Omit<Hold, "parts">> = {
	reservationToken: id("reservation_token"),
	keyId: repeated(id("key_id")),
	partnerId: repeated(id("partner_id")),
	status: word("status"),
	externalRef: nullable(text("external_ref")),
	consumeRef: nullable(text("consume_ref")),
	createdAt: time("created_at"),
	expiresAt: time("expires_at"),
	consumedUnits: nullable(int("consumed_units")),
	returnedUnits: nullable(int("returned_units")),
	lines: nullable(json("lines")),
};
const holdReader = readerOf(HOLD);
/** Columns of `hold`, or of a subselect of it, for `toHold`. `lines`: SQL to select instead of the column. */
export const holdColumns = (alias: string, lines?: string): string =>
	holdReader.select(alias, lines === undefined ? {} : { lines });
/** A hold without its parts, from the columns that start at index `first`. */
export const toHold = (row: readonly unknown[], first?: number): Hold =>
	Object.assign(holdReader.decode(row, first), { parts: [] });

const lockNamedHolds = overSources<Named, readonly unknown[]>(
	"lock_holds",
	NAMES,
	// lines are long and not needed to end a whole hold, so only requested holds and possible replays include them
	(tokens, firstOf) => `
	 select ${holdColumns("h", `case when reservation_token = any($1::uuid[])${isReplayed(firstOf(ACTIVE_REFS))} then lines end`)}
	   from hold h
	  where reservation_token = any(array(${tokens}))
	  order by reservation_token for update`,
	1,
);
const isReplayed = (keyIds: number | null): string =>
	keyIds === null ? "" : ` or (status = 'active' and external_ref = any($${keyIds + 1}))`;
const readNamedHolds = prepared<readonly unknown[]>(
	"read_holds",
	`select ${holdColumns("h")} from hold h where reservation_token = any($1::uuid[])`,
);
/** Reads holds with their lines without locks, for reports. */
export const readHolds = (db: Query, tokens: readonly string[]) => readNamedHolds(db, [plainArray(tokens)]);

export const lockHolds = (tx: Query, needs: Named & Pick<HoldNeeds, "linesOf">) =>
	lockNamedHolds(tx, needs, [plainArray([...needs.linesOf])]);

/** The granted lines, which never change. */
export const selectLines = prepared<[token: string, lines: HoldLine[]]>(
	"select_lines",
	"select reservation_token, lines from hold where reservation_token = any($1::uuid[])",
);

interface StoredPart extends Omit<Part, "state"> {
	readonly token: string;
	/** Null: the part's state follows its hold. */
	readonly ownState: PartState | null;
}
const PART: ColumnsOf<StoredPart> = {
	token: repeated(id("reservation_token")),
	ordinal: int("ordinal"),
	line: int("line"),
	formulaId: id("formula_id"),
	fgId: id("fg_id"),
	poolId: int("pool_id"),
	units: int("units"),
	ownState: nullable(word("own_state")),
};
const partReader = readerOf(PART);
/** Columns of the table `hold_part` for `toPart`; the first is the token. */
export const partColumns = (alias: string): string => partReader.select(alias);
export type PartRow = readonly [token: string, ...more: unknown[]];
/** The part, for a hold in this status, and its own state if it has one. */
export function toPart(row: PartRow, status: HoldStatus): { token: string; part: Part; ownState: PartState | null } {
	const { token, ownState, ...part } = partReader.decode(row);
	return { token, part: { ...part, state: ownState ?? stateUnder[status] }, ownState };
}
/** Parts of the holds from `lockHolds`; of those found by an active reference only if replays are expected. */
export const selectParts = overSources<Named & Pick<HoldNeeds, "replaysExpected">, PartRow>(
	"select_parts",
	NAMES.map((source) =>
		source === ACTIVE_REFS ? { ...source, isAsked: (needs) => needs.replaysExpected && source.isAsked(needs) } : source,
	),
	(tokens) => `select ${partColumns("p")} from hold_part p
	  where p.reservation_token = any(array(${tokens}))
	  order by 1, 2`,
);

const readNamedParts = prepared<PartRow>(
	"read_parts",
	`select ${partColumns("p")} from hold_part p where p.reservation_token = any($1::uuid[]) order by 1, 2`,
);
/** Reads the parts of holds that are locked, or of any for reports. */
export const readParts = (db: Query, tokens: readonly string[]) => readNamedParts(db, [plainArray(tokens)]);

/** Parts of these formulas or on these lots that overdue holds still have; thanks to the sweep, there are few. */
export const selectLapsedParts = prepared<PartRow>(
	"select_lapsed_parts",
	`select ${partColumns("p")} from hold h
	  cross join lateral (
	    select * from hold_part
	     where reservation_token = h.reservation_token and own_state is null
	       and (formula_id = any($1::uuid[]) or fg_id = any($2::uuid[])) offset 0) p
	  where h.ended_at is null and h.expires_at <= statement_timestamp() and h.expires_at >= ${SWEPT_TO}`,
);

const changedHolds = sentRows(
	pick(HOLD, "reservationToken", "keyId", "status", "consumeRef", "consumedUnits", "returnedUnits"),
);
const NOW = `$${changedHolds.next}`;
const updateHolds = prepared(
	"update_holds",
	`update hold h set ${changedHolds.assignBut("reservationToken", "keyId")},
	        ended_at = case when n.status = 'active' then null else coalesce(h.ended_at, ${NOW}) end,
	        expires_at = case when n.status = 'expired' then least(h.expires_at, ${NOW}) else h.expires_at end
	   from (select * from ${changedHolds.from} order by ${changedHolds.valueOf("keyId")}, consume_ref) n
	  where h.reservation_token = n.reservation_token`,
);
const newHolds = sentRows(HOLD);
const insertHolds = prepared(
	"insert_holds",
	`insert into hold (${newHolds.namesBut()}, ended_at)
	 select ${newHolds.valuesBut()}, case when n.status <> 'active' then ${newHolds.valueOf("createdAt")} end
	   from ${newHolds.from}
	  order by ${newHolds.valueOf("keyId")}, external_ref`,
);
const changedParts = sentRows({
	...pick(PART, "ordinal", "units", "ownState"),
	token: id("reservation_token"),
});
const updateParts = prepared(
	"update_parts",
	`update hold_part p set ${changedParts.assignBut("token", "ordinal")}
	   from ${changedParts.from}
	  where p.reservation_token = n.reservation_token and p.ordinal = n.ordinal`,
);
const newParts = sentRows(PART);
const insertParts = prepared(
	"insert_parts",
	`insert into hold_part (${newParts.namesBut()}) select ${newParts.valuesBut()} from ${newParts.from}`,
);

/**
 * Queues the statements that write the book's changes of holds. Changed holds are written before new ones, because an
 * expired hold must release its reference before another takes it. Both are in a fixed order, because two transactions
 * may write the same unique key.
 */
export function saveHolds(tx: Query, { holds, now }: BookWithHolds): Promise<unknown>[] {
	const sent: Promise<unknown>[] = [];
	if (holds.changedHolds.size > 0)
		sent.push(updateHolds(tx, [...changedHolds.parameters([...holds.changedHolds]), new Date(now).toISOString()]));
	if (holds.newHolds.size > 0) sent.push(insertHolds(tx, newHolds.parameters([...holds.newHolds])));
	const changed = rewrittenParts(holds);
	if (changed.length > 0) sent.push(updateParts(tx, changedParts.parameters(changed)));
	if (holds.newParts.size > 0)
		sent.push(insertParts(tx, newParts.parameters([...holds.newParts].map(([part, hold]) => toSave(part, hold)))));
	return sent;
}

/** Parts whose stored row is outdated. Most holds end as a whole, and then their parts follow them without a change. */
function rewrittenParts({ changedHolds, changedParts, newParts, ownStates }: HoldBook): StoredPart[] {
	const parts = new Map(changedParts);
	for (const hold of changedHolds) {
		for (const part of hold.parts) {
			const said = ownStates.get(part) ?? stateUnder[hold.status];
			if (part.state !== said && !newParts.has(part)) parts.set(part, hold);
		}
	}
	return [...parts].map(([part, hold]) => toSave(part, hold));
}

const toSave = (
	part: Part,
	{ reservationToken: token, status }: Pick<Hold, "reservationToken" | "status">,
): StoredPart => ({
	...part,
	token,
	ownState: part.state === stateUnder[status] ? null : part.state,
});

/** Tokens of overdue active holds, the longest overdue first. */
export const selectDueTokens = prepared<[token: string]>(
	"select_due_tokens",
	`select reservation_token from hold
	  where ended_at is null and expires_at <= now() and expires_at >= ${SWEPT_TO}
	    and reservation_token <> all($2::uuid[]) order by expires_at limit $1`,
);

/** Holds of the batch that another transaction keeps locked. */
export const selectBlockedHolds = overSources<
	Named,
	[token: string, keyId: string, externalRef: string | null, consumeRef: string | null]
>(
	"select_blocked_holds",
	NAMES,
	(tokens) => `with ${YOUNG}, free as materialized (
	   select reservation_token from hold where reservation_token = any(array(${tokens})) for update skip locked)
	 select reservation_token, key_id, external_ref, consume_ref from hold
	  where reservation_token = any(array(${tokens})) and reservation_token <> all(array(select reservation_token from free))
	    and ${KEPT}`,
);

/** Holds of the batch with parts on these lots. The extra parameter is the lots' ids. */
export const selectTokensOnLots = overSources<Named, [token: string, keyId: string, consumeRef: string | null]>(
	"select_tokens_on_lots",
	NAMES,
	(tokens) => `select h.reservation_token, h.key_id, h.consume_ref from hold h
	  where h.reservation_token = any(array(${tokens})) and exists (
	    select from hold_part p
	     where p.reservation_token = h.reservation_token and p.own_state is null and p.fg_id = any($1::uuid[]) offset 0)`,
	1,
);

/** Locks capped keys, before all other locks, so that two nodes cannot both find room under one cap. */
export const lockKeys = prepared<[keyId: string]>(
	"lock_capped_keys",
	"select key_id from api_key where key_id = any($1::uuid[]) order by key_id for no key update",
);
/**
 * Units in active holds, by capped key. Holds that end within a minute are returned separately with their end in
 * milliseconds, because the batch's instant comes from another statement and decides whether they still count.
 */
export const selectHeldByKey = prepared<[keyId: string, endsSoonAt: number | null, units: number]>(
	"select_held_by_key",
	`select h.key_id,
	        case when h.expires_at < statement_timestamp() + interval '1 minute'
	             then ${ms("h.expires_at")} end,
	        sum(p.units)::bigint
	   from hold h join hold_part p using (reservation_token)
	  where h.key_id = any($1::uuid[]) and h.status = 'active' and p.own_state is null
	    and h.expires_at > statement_timestamp() - interval '1 minute'
	  group by 1, 2`,
);

export const selectBlockedKeys = prepared<[keyId: string]>(
	"select_blocked_keys",
	`with ${YOUNG}, free as materialized (
	   select key_id from api_key where key_id = any($1::uuid[]) for no key update skip locked)
	 select key_id from api_key where key_id = any($1::uuid[]) and key_id <> all(array(select key_id from free)) and ${KEPT}`,
);

/**
 * Sets the mark to the earliest end of any active hold or to one minute ago, whichever is earlier. A hold that is being
 * created now ends at least a minute from now, so it cannot end before the mark.
 */
export const noteSwept = prepared(
	"note_swept",
	`update sweep_mark set swept_to = least(
	   now() - interval '1 minute', (select expires_at from hold where ended_at is null order by expires_at limit 1))`,
);

/** Resets a mark ahead of the clock, which must have been set back: holds created now may end before the mark. */
export const forgetMarkAhead = prepared(
	"forget_mark",
	"update sweep_mark set swept_to = '-infinity' where swept_to > now()",
);

const selectOverdue = prepared<[seconds: number]>(
	"select_overdue",
	`select coalesce((select greatest(0, extract(epoch from now() - expires_at)::float8) from hold
	   where ended_at is null and expires_at >= (select swept_to from sweep_mark) order by expires_at limit 1), 0)`,
);

/** The seconds by which the oldest overdue hold is past its end; 0: none is overdue. */
export const selectOverdueSeconds = async (db: Query): Promise<number> => (await selectOverdue(db, []))[0]?.[0] ?? 0;
