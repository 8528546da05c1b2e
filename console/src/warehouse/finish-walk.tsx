import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import { Table } from "../parts/list.tsx";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Alarm } from "./alarm.tsx";
import { type Marks, nameOfStop, type PickStop } from "./marks.ts";
import { nameOfOrder } from "./order-name.ts";
import { PackLink } from "./pack-link.tsx";
import type { PickOutcome, ToPick, usePicking } from "./picking.ts";
import { useScanner } from "./scanner.ts";
import { useOpenOrder } from "./use-open-order.ts";

interface WalkedOrder extends ToPick {
	/** All its units were taken. */
	readonly isComplete: boolean;
}

const TONES = { picked: "good", held: "bad", refused: "bad", failed: "bad" } as const;

interface FinishWalkProps {
	readonly stops: readonly PickStop[];
	readonly marks: Marks;
	readonly picking: ReturnType<typeof usePicking>;
	/** The person may correct counts and put orders on hold. */
	readonly mayCorrect: boolean;
}

/** The end of a walk: its complete orders are marked as picked, one by one, and each shows its result. */
export function FinishWalk({ stops, marks, picking, mayCorrect }: FinishWalkProps): ReactNode {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => heading.current?.focus(), []);
	const { open: openOrder, problem } = useOpenOrder();
	useScanner(openOrder);
	const { outcomes, progress, pickEach } = picking;
	const orders = ordersOf(stops, marks);
	const incomplete = orders.filter(({ isComplete }) => !isComplete);
	const open = orders.filter(({ id, isComplete }) => isComplete && isOpen(outcomes.get(id)));
	return (
		<section className="card">
			<Alarm text={problem} />
			<h2 ref={heading} tabIndex={-1}>
				{words.walk.end}
			</h2>
			{open.length === 0 && progress === null ? null : (
				<>
					<p>{words.walk.endHint}</p>
					<button type="button" className="main" disabled={progress !== null} onClick={() => void pickEach(open)}>
						{progress === null ? words.walk.mark(open.length) : words.walk.markingNow}
					</button>
				</>
			)}
			<PickProgress progress={progress} />
			<Outcomes outcomes={[...outcomes.values()]} />
			{incomplete.length === 0 ? null : (
				<>
					<h3>{words.walk.incomplete}</h3>
					<ul className="plain">
						{incomplete.map(({ id, name }) => (
							<li key={id}>
								<Link to={`/orders/${id}`}>{name}</Link>
							</li>
						))}
					</ul>
					<p className="hint">{words.walk[mayCorrect ? "incompleteHint" : "incompleteAsk"]}</p>
				</>
			)}
		</section>
	);
}

/** How many orders were marked as picked so far. */
export const PickProgress = ({ progress }: { progress: ReturnType<typeof usePicking>["progress"] }): ReactNode =>
	progress === null ? null : (
		<div role="status">
			<p>{words.walk.marked(progress.done, progress.of)}</p>
			<progress value={progress.done} max={progress.of} aria-label={words.walk.marking} />
		</div>
	);

const isOpen = (outcome: PickOutcome | undefined): boolean => outcome === undefined || outcome.outcome === "failed";

const Outcomes = ({ outcomes }: { outcomes: readonly PickOutcome[] }): ReactNode =>
	outcomes.length === 0 ? null : (
		<div role="status">
			<Table
				caption={words.walk.outcomes}
				rows={outcomes}
				keyOf={({ id }) => id}
				columns={[
					{ head: words.walk.order, cell: ({ id, name }) => <PackLink id={id} name={name} /> },
					{
						head: words.walk.outcome,
						cell: ({ outcome, why }) => (
							<>
								<State word={words.walk[outcome]} tone={TONES[outcome]} /> {why}
							</>
						),
					},
				]}
			/>
			<p>{words.walk.next}</p>
		</div>
	);

/** Orders of a walk in the order of its stops. */
function ordersOf(stops: readonly PickStop[], marks: Marks): readonly WalkedOrder[] {
	const orders = new Map<string, WalkedOrder>();
	for (const stop of stops) {
		const isTaken = marks[nameOfStop(stop)] === "taken";
		for (const order of stop.orders) {
			const id = order.order_id;
			const isComplete = isTaken && orders.get(id)?.isComplete !== false;
			const lots = [...(orders.get(id)?.lots ?? []), { fg_id: stop.fg_id, units: order.units }];
			orders.set(id, { id, name: nameOfOrder(order), isComplete, lots });
		}
	}
	return [...orders.values()];
}
