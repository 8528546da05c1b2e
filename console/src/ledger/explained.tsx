import type { ReactNode } from "react";
import { Link } from "react-router";
import { useRead } from "../api/use.ts";
import { Table } from "../parts/list.tsx";
import { Facts, Loading, Problem, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type CountExplanation, type CountedPool, poolName } from "./count.ts";
import { PoolDetails } from "./pool-details.tsx";

type Component = CountExplanation["components"][number];

interface ExplainedProps {
	readonly question: {
		readonly sku: string;
		readonly query: { readonly brand_code?: string; readonly key?: string; readonly at?: string };
	};
}

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The answer: the count first, then the calculation that leads to it, then the lots behind each of its numbers. */
export function Explained({ question: { sku, query } }: ExplainedProps): ReactNode {
	const { data: told, error, refetch, isPlaceholderData } = useRead("explain_count", { params: { sku }, query });
	if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
	if (told === undefined || isPlaceholderData) return <Loading />;
	const { counts, components } = told;
	const answer = query.at === undefined ? words.counts.now : words.counts.atThatTime;
	const isCounted = told.kind !== "non_physical";
	return (
		<>
			<h2>
				{told.sku}, {told.name}
			</h2>
			<p className="figure" role="status">
				{isCounted ? answer(counts.atp_qty, told.kind === "kit") : words.counts.notCounted}
			</p>
			<p className="quiet">
				{words.counts.asOf(EXACT.format(new Date(told.at)), told.today)}{" "}
				{words.counts.taken(told.pools.map(poolName).join(", "))}
			</p>
			<button type="button" onClick={() => void refetch()}>
				{words.counts.again}
			</button>
			{told.notes.length === 0 ? null : (
				<ul>
					{told.notes.map((note) => (
						<li key={note}>{note}</li>
					))}
				</ul>
			)}
			{components.map((component) => (
				<Calculation
					key={component.formula_id}
					component={component}
					isKit={told.kind === "kit"}
					limits={limits(component, told)}
				/>
			))}
			{isCounted ? <Result told={told} /> : null}
		</>
	);
}

const kitsOf = ({ atp_units, per_kit }: Component): number => Math.floor(atp_units / per_kit);

/** Whether no other component allows fewer kits. */
const limits = (component: Component, { components }: CountExplanation): boolean =>
	components.length > 1 && kitsOf(component) === Math.min(...components.map(kitsOf));

interface CalculationProps {
	readonly component: Component;
	readonly isKit: boolean;
	readonly limits: boolean;
}

/** One formula: from the units of each pool to the whole kits that they are enough for. */
function Calculation({ component, isKit, limits }: CalculationProps): ReactNode {
	const { formula, status, promised_units, available_units, atp_units, per_kit } = component;
	const pools = component.pools.filter(({ lots, demand }) => lots.length > 0 || demand.length > 0);
	const rows = [
		...pools.flatMap(stepsOf),
		...pools
			.filter(({ promised_units: n }) => n > 0)
			.map(({ brand_code, promised_units: n }) => [words.counts.promised(poolName(brand_code)), -n] as const),
		[promised_units > available_units ? words.counts.atpFloor : words.counts.atp, atp_units] as const,
		...(isKit || per_kit > 1
			? ([
					[words.catalogue.perKit[isKit ? "kit" : "single"], per_kit],
					[words.counts.enoughFor(isKit), kitsOf(component)],
				] as const)
			: []),
	];
	return (
		<section className="card after">
			<h3>
				<Link to={`/stock?formula=${encodeURIComponent(formula)}`}>{formula}</Link>{" "}
				{limits ? <State word={words.counts.limits} tone="bad" /> : null}
			</h3>
			{status === "active" ? null : <p className="bad">{words.counts.notActive(status)}</p>}
			<Table
				caption={words.counts.calculation(formula)}
				rows={rows}
				keyOf={([step]) => step}
				columns={[
					{ head: words.counts.step, cell: ([step]) => step },
					{ head: words.counts.amount, cell: ([, n]) => signed(n), isNumber: true },
				]}
			/>
			{pools.map((pool) => (
				<PoolDetails key={poolName(pool.brand_code)} pool={pool} formula={formula} />
			))}
		</section>
	);
}

/** One pool: from the units that came in to those that are available. A step of 0 units is left out. */
function stepsOf({ brand_code, lots, available_units }: CountedPool): readonly (readonly [step: string, n: number])[] {
	const pool = poolName(brand_code);
	const sum = (of: (lot: CountedPool["lots"][number]) => number): number => lots.reduce((all, lot) => all + of(lot), 0);
	const steps = words.counts.steps;
	const taken = [
		[steps.held, -sum(({ held, lapsed_units }) => held - lapsed_units)],
		[steps.allocated, -sum(({ allocated }) => allocated)],
		[steps.consumed, -sum(({ consumed }) => consumed)],
		[steps.shipped, -sum(({ shipped }) => shipped)],
		[steps.quarantined, -sum(({ quarantined }) => quarantined)],
		[steps.destroyed, -sum(({ destroyed }) => destroyed)],
		[steps.notCounted, -sum(({ available, lapsed_units, counts }) => available + lapsed_units - counts)],
	] as const;
	return [
		[steps.cameIn(pool), sum(({ received, corrected }) => received + corrected)],
		...taken.flatMap(([step, n]) => (n === 0 ? [] : [[step(pool), n] as const])),
		[words.counts.available(pool), available_units],
	];
}

const signed = (n: number): string => (n < 0 ? `−${-n}` : String(n));

/** From the kits of each formula to the count. */
const Result = ({ told: { kind, components, counts } }: { told: CountExplanation }): ReactNode => (
	<section>
		<h3>{words.counts.result}</h3>
		{components.length > 1 ? (
			<>
				<Table
					caption={words.counts.enoughFor(true)}
					rows={components}
					keyOf={({ formula_id }) => formula_id}
					columns={[
						{ head: words.counts.component, cell: ({ formula }) => formula },
						{ head: words.counts.enoughFor(true), cell: kitsOf, isNumber: true },
					]}
				/>
				<p>{words.counts.smallest}</p>
			</>
		) : null}
		<Facts
			facts={(["available_qty", "promised_qty", "backorder_qty", "atp_qty"] as const).map(
				(name) => [words.counts.figures(kind === "kit")[name], counts[name]] as const,
			)}
		/>
	</section>
);
