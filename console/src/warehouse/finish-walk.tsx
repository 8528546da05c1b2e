import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { CallError, call } from "../api/call.ts";
import { Table } from "../parts/list.tsx";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Alarm } from "./alarm.tsx";
import { type Marks, nameOfStop, type PickStop } from "./marks.ts";
import { nameOfOrder } from "./order-name.ts";
import { PackLink } from "./pack-link.tsx";
import { useScanner } from "./scanner.ts";
import { useOpenOrder } from "./use-open-order.ts";

interface WalkedOrder {
	readonly id: string;
	readonly name: string;
	/** All its units were taken. */
	readonly isComplete: boolean;
}

/** What came of marking an order as picked; `failed`: it may be tried again. */
interface PickOutcome extends WalkedOrder {
	readonly outcome: "picked" | "held" | "refused" | "failed";
	readonly why: string | null;
}
const TONES = { picked: "good", held: "bad", refused: "bad", failed: "bad" } as const;
/** Refusals that another try would not change. */
const FINAL = new Set(["not_possible_now", "order_not_found"]);

/** The end of a walk: its complete orders are marked as picked, one by one, and each says what came of it. */
export function FinishWalk({ stops, marks }: { stops: readonly PickStop[]; marks: Marks }): ReactNode {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => heading.current?.focus(), []);
	const { open: openOrder, problem } = useOpenOrder();
	useScanner((code) => void openOrder(code));
	const { outcomes, isBusy, pickEach } = usePicking();
	const orders = ordersOf(stops, marks);
	const incomplete = orders.filter(({ isComplete }) => !isComplete);
	const open = orders.filter(({ id, isComplete }) => isComplete && isOpen(outcomes.get(id)));
	return (
		<section className="card">
			<Alarm text={problem} />
			<h2 ref={heading} tabIndex={-1}>
				{words.walk.end}
			</h2>
			{open.length === 0 && !isBusy ? null : (
				<>
					<p>{words.walk.endHint}</p>
					<button type="button" className="main" disabled={isBusy} onClick={() => void pickEach(open)}>
						{words.walk.mark(open.length)}
					</button>
				</>
			)}
			{isBusy ? <progress value={outcomes.size} max={orders.length} aria-label={words.walk.marking} /> : null}
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
					<p className="hint">{words.walk.incompleteHint}</p>
				</>
			)}
		</section>
	);
}

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
			orders.set(id, { id, name: nameOfOrder(order), isComplete });
		}
	}
	return [...orders.values()];
}

/** Marks orders as picked, one after the other: one that cannot be picked does not affect the others. */
function usePicking() {
	const client = useQueryClient();
	const [outcomes, setOutcomes] = useState<ReadonlyMap<string, PickOutcome>>(new Map());
	const [isBusy, setBusy] = useState(false);
	const pickEach = async (orders: readonly WalkedOrder[]): Promise<void> => {
		setBusy(true);
		try {
			for (const order of orders) {
				const outcome = await pickOne(order);
				setOutcomes((was) => new Map(was).set(order.id, outcome));
			}
		} finally {
			setBusy(false);
			void client.invalidateQueries();
		}
	};
	return { outcomes, isBusy, pickEach };
}

async function pickOne(order: WalkedOrder): Promise<PickOutcome> {
	try {
		const { picked, why } = await call("pick_order", { params: { id: order.id }, body: {} });
		return { ...order, outcome: picked ? "picked" : "held", why };
	} catch (error) {
		if (!(error instanceof CallError)) throw error;
		return { ...order, outcome: FINAL.has(error.code) ? "refused" : "failed", why: error.message };
	}
}
