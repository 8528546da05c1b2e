import type { ReactNode } from "react";
import { Link } from "react-router";
import { KeyLink } from "../audit/actor.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { Moment } from "../parts/time.tsx";
import { BATCH } from "../stock/lot-columns.tsx";
import { words } from "../words/words.ts";
import { type CountedPool, poolName } from "./count.ts";

type CountedLot = CountedPool["lots"][number];

/** What the numbers of one pool are made of: its lots, who has units of them, and to whom more is promised. */
export function PoolDetails({ pool, formula }: { pool: CountedPool; formula: string }): ReactNode {
	const name = `${poolName(pool.brand_code)}, ${formula}`;
	return (
		<details open>
			<summary>{words.counts.details(poolName(pool.brand_code))}</summary>
			{pool.lots.length === 0 ? <p>{words.counts.noLots}</p> : null}
			<ShortTable
				caption={words.counts.lots(name)}
				rows={pool.lots}
				keyOf={({ fg_id }) => fg_id}
				columns={[
					BATCH,
					{ head: words.stock.expires, cell: ({ expires_on }) => expires_on ?? words.lot.never },
					...NUMBERS.filter(({ cell }) => pool.lots.some((lot) => cell(lot) !== 0)),
					{
						head: words.counts.counts,
						cell: ({ counts }) => <span className="strong">{counts}</span>,
						isNumber: true,
					},
					{ head: words.counts.why, cell: whyOf },
				]}
			/>
			<Promises pool={pool} name={name} />
			<Takers lots={pool.lots} name={name} />
		</details>
	);
}

/** Where the units of a lot are. A column that is zero in every row is left out. */
const NUMBERS = (
	[
		[words.counts.cameIn, ({ received, corrected }) => received + corrected],
		[words.counts.free, ({ available }) => available],
		[words.stock.held, ({ held }) => held],
		[words.counts.lapsed, ({ lapsed_units }) => lapsed_units],
		[words.stock.allocated, ({ allocated }) => allocated],
		[words.lot.consumed, ({ consumed }) => consumed],
		[words.lot.shipped, ({ shipped }) => shipped],
		[words.stock.quarantined, ({ quarantined }) => quarantined],
		[words.lot.destroyed, ({ destroyed }) => destroyed],
	] as const satisfies readonly (readonly [string, (lot: CountedLot) => number])[]
).map(([head, cell]) => ({ head, cell, isNumber: true }));

/** Why a lot counts as it does. */
function whyOf(lot: CountedLot): string {
	if (!lot.in_date) return words.counts.past;
	if (lot.recalled) return words.counts.recalled;
	const free = lot.available + lot.lapsed_units;
	if (lot.counts < free) return words.counts.notCertified;
	if (free === 0) return words.counts.noneFree;
	return lot.lapsed_units > 0 ? words.counts.withLapsed : words.counts.isCounted;
}

const Promises = ({ pool, name }: { pool: CountedPool; name: string }): ReactNode => (
	<ShortTable
		caption={words.counts.promises(name)}
		rows={pool.demand}
		keyOf={({ reference }) => reference ?? ""}
		columns={[
			{
				head: words.recalls.reference,
				cell: ({ reference }) =>
					reference === null ? (
						<Link to="/demand/buffers">{words.counts.buffer}</Link>
					) : (
						<Link to={`/demand/item/${encodeURIComponent(reference)}`}>{reference}</Link>
					),
			},
			{ head: words.stock.units, cell: ({ units }) => units, isNumber: true },
		]}
	/>
);

interface Taker {
	readonly id: string;
	readonly batch: string;
	readonly who: ReactNode;
	readonly units: number;
	readonly key: string | null;
	readonly until: ReactNode;
}

/** The holds and orders that have units of the lots. */
function Takers({ lots, name }: { lots: readonly CountedLot[]; name: string }): ReactNode {
	const rows = lots.flatMap((lot) => [
		...lot.holds.map((hold, i) => ofHold(lot, hold, i)),
		...lot.orders.map((order, i) => ofOrder(lot, order, i)),
	]);
	return (
		<ShortTable
			caption={words.counts.takers(name)}
			rows={rows}
			keyOf={({ id }) => id}
			columns={[
				{ head: words.stock.batch, cell: ({ batch }) => batch },
				{ head: words.moves.about, cell: ({ who }) => who },
				{ head: words.stock.units, cell: ({ units }) => units, isNumber: true },
				{
					head: words.counts.keyOf,
					cell: ({ key }) => (key === null ? null : <KeyLink pk={key} />),
				},
				{ head: words.recalls.ends, cell: ({ until }) => until },
			]}
		/>
	);
}

function ofHold(lot: CountedLot, hold: CountedLot["holds"][number], i: number): Taker {
	const { reservation_token: token, external_ref, units, key, lapsed, expires_at, later } = hold;
	return {
		id: `${lot.fg_id} hold ${i}`,
		batch: lot.batch_number,
		who:
			token === null ? (
				words.counts.later(later ?? "")
			) : (
				<Link to={`/holds/${token}`}>{external_ref ?? words.moves.hold}</Link>
			),
		units,
		key,
		until: (
			<>
				<Moment at={expires_at} /> {lapsed ? words.counts.ended : null}
			</>
		),
	};
}

function ofOrder(lot: CountedLot, order: CountedLot["orders"][number], i: number): Taker {
	const { order_id, external_order_id, ref, units, key, later } = order;
	return {
		id: `${lot.fg_id} order ${i}`,
		batch: lot.batch_number,
		who:
			order_id === null ? (
				words.counts.later(later ?? "")
			) : (
				<Link to={`/orders/${order_id}`}>{words.moves.order(external_order_id ?? ref ?? order_id)}</Link>
			),
		units,
		key,
		until: null,
	};
}
