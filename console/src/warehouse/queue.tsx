import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { useBrandFilter } from "../boxes/brand-filter.ts";
import { ContentsText } from "../boxes/contents.tsx";
import { OrderState } from "../orders/state.tsx";
import { type Column, List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Age } from "./age.tsx";
import { OpenOrder } from "./open-order.tsx";
import { nameOfOrder, namesOfOrders } from "./order-name.ts";
import { PackLink } from "./pack-link.tsx";
import { FirstBoxes, SelectedWalk } from "./start-walk.tsx";

type QueuedBox = DataOf<"list_queue">["items"][number];

/** Maximum number of orders selected by hand: their ids are in the address of the walk, and a server reads 16 KiB. */
const MOST_SELECTED = 200;

/** Boxes that wait to be shipped, the most urgent first, and the way to pick and pack them. */
export default function Queue({ me }: { me: Me }): ReactNode {
	const mayPick = hasRole(me, "warehouse");
	const brand = useBrandFilter(words.queue.brand);
	const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
	const select = (orders: readonly string[], isChosen: boolean): void => {
		const next = new Set(selected);
		for (const id of orders) {
			if (isChosen) next.add(id);
			else next.delete(id);
		}
		setSelected(next);
	};
	return (
		<div className="touch queue">
			<Page title={words.queue.title} actions={<Ways mayWrite={mayPick} />}>
				<OpenOrder />
				{mayPick && selected.size === 0 ? <FirstBoxes /> : null}
				<List
					id="list_queue"
					caption={words.queue.title}
					filters={[
						brand,
						{ name: "status", label: words.queue.status, options: Object.entries(words.queue.statuses) },
					]}
					keyOf={({ shipment_id }) => shipment_id}
					empty={{ title: words.queue.empty, hint: words.queue.emptyHint }}
					emptyFiltered={words.queue.emptyFiltered}
					columns={mayPick ? [selectColumn(selected, select), ...COLUMNS] : COLUMNS}
				/>
				{selected.size === 0 ? null : (
					<SelectedWalk selected={[...selected]} most={MOST_SELECTED} onClear={() => setSelected(new Set())} />
				)}
			</Page>
		</div>
	);
}

const Ways = ({ mayWrite }: { mayWrite: boolean }): ReactNode => (
	<>
		{mayWrite ? (
			<Link className="button" to="/warehouse/tracking">
				{words.queue.tracking}
			</Link>
		) : null}
		<Link className="button" to="/boxes/combine">
			{words.queue.combine}
		</Link>
	</>
);

/** A box is selected with all its orders that are to be picked. */
const selectColumn = (
	selected: ReadonlySet<string>,
	select: (orders: readonly string[], isChosen: boolean) => void,
): Column<QueuedBox> => ({
	head: words.queue.select,
	cell: ({ orders }) => {
		const toPick = orders.filter(({ to_pick }) => to_pick);
		const ids = toPick.map(({ order_id }) => order_id);
		return ids.length === 0 ? null : (
			<label className="check">
				<input
					type="checkbox"
					aria-label={words.queue.selectOf(namesOfOrders(toPick))}
					checked={ids.every((id) => selected.has(id))}
					onChange={({ target }) => select(ids, target.checked)}
				/>
			</label>
		);
	},
});

const COLUMNS: readonly Column<QueuedBox>[] = [
	{
		head: words.queue.order,
		cell: ({ orders }) =>
			orders.map((order) => (
				<div key={order.order_id}>
					<p className="tight whole">
						<PackLink id={order.order_id} name={nameOfOrder(order)} />
					</p>
					{order.note ? (
						<p className="hint">
							{words.queue.note}: {order.note}
						</p>
					) : null}
				</div>
			)),
	},
	{
		head: words.queue.customer,
		cell: ({ orders, ship_to: { city, country } }) => `${orders[0]?.customer ?? ""}, ${city}, ${country}`,
	},
	{ head: words.queue.needs, cell: ({ orders, status }) => <Needs orders={orders} status={status} /> },
	{
		head: words.queue.waits,
		cell: ({ waiting_since, service_level }) => (
			<>
				<Age at={waiting_since} /> <Urgency level={service_level} />
			</>
		),
	},
	{ head: words.queue.contents, cell: ({ items }) => <ContentsText items={items} /> },
	{ head: words.queue.partner, cell: ({ orders }) => orders[0]?.partner },
];

const Urgency = ({ level }: { level: QueuedBox["service_level"] }): ReactNode =>
	level === "standard" ? null : <State word={level} tone="bad" />;

/** What must be done first before a box can leave. */
function Needs({ orders, status }: Pick<QueuedBox, "orders" | "status">): ReactNode {
	const held = orders.filter(({ hold_reason }) => hold_reason !== null);
	if (held.length > 0) {
		return held.map(({ order_id, status: of, hold_reason, hold_detail }) => (
			<p key={order_id} className="tight">
				<OrderState status={of} hold_reason={hold_reason} /> {hold_detail}
			</p>
		));
	}
	if (orders.some(({ pick_again }) => pick_again)) return <State word={words.queue.needsPickAgain} tone="bad" />;
	if (orders.some(({ to_pick }) => to_pick)) return <State word={words.queue.needsPick} />;
	return status === "label_created" ? (
		<State word={words.queue.needsShip} tone="good" />
	) : (
		<State word={words.queue.needsLabel} />
	);
}
