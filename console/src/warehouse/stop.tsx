import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import { Facts } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import type { PickStop } from "./marks.ts";
import { nameOfOrder } from "./order-name.ts";
import { useScanner } from "./scanner.ts";

interface StopProps {
	readonly stop: PickStop;
	/** How often a person has opened a stop again: each time, it is brought into view. */
	readonly reopened: number;
	readonly onScan: (code: string) => unknown;
	readonly onTake: () => void;
	readonly onMissing: () => void;
}

/** Where to go next and what to take there, to be read at arm's length. */
export function Stop({ stop, reopened, onScan, onTake, onMissing }: StopProps): ReactNode {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		if (reopened === 0) return;
		heading.current?.scrollIntoView({ block: "center" });
		heading.current?.focus({ preventScroll: true });
	}, [reopened]);
	useScanner(onScan);
	const { location, formula, batch_number, expires_on, brand_code, units, orders, fg_id } = stop;
	return (
		<section className="card stop" aria-live="polite">
			<h2 ref={heading} tabIndex={-1}>
				{location ?? words.walk.noLocation}
			</h2>
			<p className="figure">{words.walk.units(units)}</p>
			<Facts
				facts={[
					[words.walk.formula, formula],
					[
						words.walk.batch,
						<Link key="batch" to={`/stock/${fg_id}`}>
							{batch_number}
						</Link>,
					],
					[words.walk.expires, expires_on ?? words.walk.never],
					[words.walk.pool, brand_code ?? words.walk.shared],
				]}
			/>
			<ul className="plain">
				{orders.map((order) => (
					<li key={order.order_id}>{words.walk.forOrder(order.units, nameOfOrder(order), order.partner)}</li>
				))}
			</ul>
			<p className="hint">{words.walk.scanHint}</p>
			<div className="buttons">
				<button type="button" className="main" onClick={onTake}>
					{words.walk.take}
				</button>
				<button type="button" onClick={onMissing} aria-describedby="missing-hint">
					{words.walk.missing}
				</button>
			</div>
			<p className="hint" id="missing-hint">
				{words.walk.missingHint}
			</p>
		</section>
	);
}
