import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { Actor } from "../audit/actor.tsx";
import type { Column } from "../parts/list.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { BATCH, POOL } from "./lot-columns.tsx";

type Move = DataOf<"list_lot_moves">["items"][number];

const bucketOf = (name: string): string => words.buckets[name] ?? name;
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Moves of the ledger: when, what, why and who. */
export const MOVE_COLUMNS: readonly Column<Move>[] = [
	{ head: words.audit.at, cell: ({ at }) => <Moment at={at} /> },
	{ head: words.moves.change, cell: ({ from, to }) => `${bucketOf(from)} → ${bucketOf(to)}` },
	{ head: words.stock.units, cell: ({ units }) => units, isNumber: true },
	{ head: words.stock.cause, cell: ({ cause, reason }) => [cause, reason].filter(Boolean).join(": ") },
	{ head: words.moves.about, cell: (move) => <About move={move} /> },
	{ head: words.audit.actor, cell: ({ actor }) => <Actor actor={actor} /> },
];

/** The same for moves of several lots: also which lot. */
export const MOVE_OF_LOT_COLUMNS: readonly Column<Move>[] = [
	...MOVE_COLUMNS.slice(0, 1),
	{ ...BATCH, head: words.moves.lot },
	POOL,
	...MOVE_COLUMNS.slice(1),
];

/** What the units moved for: an order, a hold, or what the ledger names. */
function About({ move: { order, about, batch_number } }: { move: Move }): ReactNode {
	if (order !== null)
		return <Link to={`/orders/${order.order_id}`}>{words.moves.order(order.external_order_id ?? order.ref)}</Link>;
	if (about === null || about === batch_number) return null;
	return TOKEN.test(about) ? <Link to={`/holds/${about}`}>{words.moves.hold}</Link> : about;
}
