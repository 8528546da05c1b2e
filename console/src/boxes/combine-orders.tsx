import type { FormEvent, ReactNode } from "react";
import { Link, useNavigate } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { Problem } from "../parts/page.tsx";
import { Age } from "../warehouse/age.tsx";
import { nameOfOrder } from "../warehouse/order-name.ts";
import { words } from "../words/words.ts";

type Group = DataOf<"list_combinable">["items"][number];

/** Maximum number of orders in one box. */
const MOST = 20;

interface CombineOrdersProps {
	readonly group: Group;
	/** The person's role allows it. */
	readonly may: boolean;
	/** Ids of the orders that are not to be combined. */
	readonly left: ReadonlySet<string>;
	readonly setLeft: (left: ReadonlySet<string>) => void;
}

/** The orders of one address: those that are chosen are put into one box, whose page is then shown. */
export function CombineOrders({ group, may, left, setLeft }: CombineOrdersProps): ReactNode {
	const { orders } = group;
	const navigate = useNavigate();
	const { run, isBusy, error } = useWrite("combine_boxes");
	const chosen = orders.filter(({ order_id }, index) => !left.has(order_id) && index < MOST);
	const submit = async (event: FormEvent): Promise<void> => {
		event.preventDefault();
		const box = await run({ body: { order_ids: chosen.map(({ order_id }) => order_id) } });
		if (box !== null) await navigate(`/boxes/${box.shipment_id}`);
	};
	const choose = (id: string, isChosen: boolean): void => {
		const next = new Set(left);
		if (isChosen) next.delete(id);
		else next.add(id);
		setLeft(next);
	};
	const items = orders.slice(0, MOST).map((order) => {
		const text = words.combine.order(nameOfOrder(order), order.customer);
		const link = <Link to={`/boxes/${order.shipment_id}`}>{text}</Link>;
		return may ? (
			<div key={order.order_id} className="check">
				<input
					type="checkbox"
					aria-label={text}
					checked={!left.has(order.order_id)}
					onChange={({ target }) => choose(order.order_id, target.checked)}
				/>
				{link} <Age at={order.placed_at} />
			</div>
		) : (
			<p key={order.order_id} className="tight">
				{link}
			</p>
		);
	});
	const [first] = orders;
	if (!may || first === undefined) return items;
	return (
		<form aria-label={words.combine.group(nameOfOrder(first))} onSubmit={(event) => void submit(event)}>
			<Problem error={error} />
			{items}
			{chosen.length < 2 ? <p className="hint">{words.combine.limits(MOST)}</p> : null}
			<button type="submit" className="main" disabled={isBusy || chosen.length < 2}>
				{words.combine.submit(chosen.length)}
			</button>
		</form>
	);
}
