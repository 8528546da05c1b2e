import { Dictionary, plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { type ColumnsOf, day, id, int, nullable, pick, sentRows, text } from "../../ground/pg/table.ts";
import type { BookWithStock } from "./book.ts";
import type { Lot } from "./lot.ts";
import type { Move } from "./move.ts";

/** The quantities of a lot. */
const UNITS = {
	received: int("received"),
	corrected: int("corrected"),
	available: int("available"),
	held: int("held"),
	allocated: int("allocated"),
	consumed: int("consumed"),
	shipped: int("shipped"),
	quarantined: int("quarantined"),
	destroyed: int("destroyed"),
};
type Quantity = keyof typeof UNITS;
const QUANTITIES = Object.keys(UNITS) as Quantity[];

const LOT: ColumnsOf<Omit<Lot, "recalled">> = {
	fgId: id("fg_id"),
	formulaId: id("formula_id"),
	poolId: int("pool_id"),
	batchNumber: text("batch_number"),
	expiresOn: nullable(day("expires_on")),
	receivedOn: day("received_on"),
	...UNITS,
};
const newLots = sentRows(LOT);
const insertLots = prepared(
	"insert_lots",
	`insert into lot (${newLots.namesBut()}) select ${newLots.valuesBut()} from ${newLots.from}
	  order by formula_id, pool_id, batch_number`, // fixed order, because two transactions may insert the same keys
);

// Each distinct way (buckets, cause, actor) and command (cause id, request id, hold) is sent once; moves refer to them
// by index.
const insertMoves = prepared(
	"insert_moves",
	`insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id, reservation_token)
	 select $1::timestamptz, fg_id, ($6::text[])[way], ($7::text[])[way], units, ($8::text[])[way], ($10::text[])[command],
	        ($9::text[])[way], ($11::text[])[command], ($12::uuid[])[command]
	   from unnest($2::uuid[], $3::int[], $4::int[], $5::int[]) m(fg_id, units, way, command)`,
);

const updatesOfLots = new Map<string, (tx: Query, lots: readonly Lot[]) => Promise<unknown>>();
/** Writes these quantities, with one statement for each set of columns, of which there are few. */
function updateLots(tx: Query, lots: readonly Lot[], names: readonly Quantity[]): Promise<unknown> {
	// short, because PostgreSQL truncates names at 63 bytes
	const key = names.map((name) => QUANTITIES.indexOf(name)).join("");
	let update = updatesOfLots.get(key);
	if (update === undefined) {
		const changed = sentRows(pick(LOT, "fgId", ...names));
		const statement = prepared(
			`update_lots_${key}`,
			`update lot l set ${changed.assignBut("fgId")} from ${changed.from} where l.fg_id = n.fg_id`,
		);
		update = (on, rows) => statement(on, changed.parameters(rows));
		updatesOfLots.set(key, update);
	}
	return update(tx, lots);
}

const recallLots = prepared(
	"update_lots_recalled",
	"update lot set recalled_at = $2 where fg_id = any($1::uuid[]) and recalled_at is null",
);
const endRecalls = prepared(
	"update_lots_no_longer_recalled",
	"update lot set recalled_at = null where fg_id = any($1::uuid[])",
);
const idsOf = (lots: ReadonlySet<Lot>): string => plainArray([...lots].map(({ fgId }) => fgId));

/** Queues the statements that write the book's changes of lots and the ledger entries. */
export function saveStock(tx: Query, { stock, now }: BookWithStock): Promise<unknown>[] {
	const sent: Promise<unknown>[] = [];
	// A recall ends before the units are freed and begins (below) after none is free, as the table's CHECK demands.
	if (stock.noLongerRecalled.size > 0) sent.push(endRecalls(tx, [idsOf(stock.noLongerRecalled)]));
	// in lock order, so that neighbours in the index are written one after another
	const changed = [...stock.lotsById.values()].filter((lot) => stock.touchedLots.has(lot) && !stock.newLots.has(lot));
	if (stock.newLots.size > 0) sent.push(insertLots(tx, newLots.parameters([...stock.newLots])));
	if (changed.length > 0) {
		const moved = new Set<Quantity>();
		for (const { from, to } of stock.moves) moved.add(from).add(to);
		const names = QUANTITIES.filter((name) => moved.has(name));
		sent.push(updateLots(tx, changed, names));
	}
	if (stock.newlyRecalled.size > 0)
		sent.push(recallLots(tx, [idsOf(stock.newlyRecalled), new Date(now).toISOString()]));
	if (stock.moves.length > 0) sent.push(insertMoves(tx, moveColumns(stock.moves, now)));
	return sent;
}

/** Sends each (from, to, cause, actor) once, each command once per run of moves; moves use 1-based indexes. */
function moveColumns(moves: readonly Move[], now: number): string[] {
	const ways = new Dictionary<Move>();
	const wayOf = moves.map((move) => ways.indexOf(move, `${move.from} ${move.to} ${move.cause} ${move.origin.actor}`));
	const commands: Move[] = [];
	const commandOf = moves.map((move) => {
		const last = commands.at(-1);
		const isLast = last?.causeId === move.causeId && last.origin.requestId === move.origin.requestId;
		if (!isLast || last?.hold !== move.hold) commands.push(move);
		return commands.length;
	});
	return [
		new Date(now).toISOString(),
		plainArray(moves.map((m) => m.fgId)),
		plainArray(moves.map((m) => m.units)),
		plainArray(wayOf),
		plainArray(commandOf),
		plainArray(ways.values.map((m) => m.from)),
		plainArray(ways.values.map((m) => m.to)),
		plainArray(ways.values.map((m) => m.cause)),
		textArray(ways.values.map((m) => m.origin.actor)),
		textArray(commands.map((m) => m.causeId)),
		textArray(commands.map((m) => m.origin.requestId)),
		textArray(commands.map((m) => m.hold ?? null)),
	];
}

/** Sets a lot's location; null removes it. Returns how many lots have this id (0 or 1). */
export const updateLocation = async (db: Query, fgId: string, location: string | null): Promise<number> =>
	(await db.query("update lot set location = $2 where fg_id = $1", [fgId, location])).rowCount ?? 0;
