import type { ReactNode } from "react";
import { Link } from "react-router";
import { words } from "../words/words.ts";
import { nameOfOrder } from "./order-name.ts";
import type { PackedOrder } from "./orders-of.ts";

type Repacked = Pick<
	PackedOrder,
	"order_id" | "ref" | "external_order_id" | "status" | "pick_again" | "take_out" | "put_in"
>;

/** Whether the box of an order may contain the wrong units, so that the order is to be picked again from its lots. */
export const isToRepack = ({ pick_again, take_out }: Repacked): boolean => pick_again || take_out.length > 0;

/** What to take out of a box and what to put in, for each of its orders that got other lots; nothing if none did. */
export const Repack = ({ orders, mayPick }: { orders: readonly Repacked[]; mayPick: boolean }): ReactNode =>
	orders.filter(isToRepack).map((order) => (
		<div key={order.order_id} className="alarm" role="alert">
			<p className="strong">
				{words.repack[order.take_out.length + order.put_in.length > 0 ? "stop" : "held"](nameOfOrder(order))}
			</p>
			<ul className="plain">
				{toDo(order).map((text) => (
					<li key={text}>{text}</li>
				))}
			</ul>
			{mayPick && order.status !== "held" ? (
				<p>
					<Link className="button" to={`/warehouse/walk?order=${order.order_id}`}>
						{words.repack.pick(nameOfOrder(order))}
					</Link>
				</p>
			) : null}
		</div>
	));

/** One line for each lot to take out, with what replaces it, and one for each lot to put in besides. */
function toDo({ take_out, put_in }: Repacked): string[] {
	const formulas = [...new Set([...take_out, ...put_in].map(({ formula }) => formula))];
	return formulas.flatMap((formula) => {
		const into = put_in
			.filter((lot) => lot.formula === formula)
			.map(({ units, batch_number }) => words.repack.putIn(units, batch_number));
		const out = take_out.filter((lot) => lot.formula === formula);
		if (out.length === 0) return into.map((text) => words.repack.please(text));
		return out.map(({ batch_number, units, recalled }, index) => {
			const why = recalled ? words.repack.recalled(batch_number) : words.repack.replaced(batch_number);
			return words.repack.change(why, units, index === 0 ? into : []);
		});
	});
}
