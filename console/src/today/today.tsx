import { lazy, type ReactNode, Suspense } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Empty, Loading, Page, Problem, State } from "../parts/page.tsx";
import { Moment, momentText } from "../parts/time.tsx";
import { words } from "../words/words.ts";

const Figures = lazy(() => import("../series/figures.tsx"));

/** Milliseconds between two looks at the health of the service, which the live stream does not report. */
const HEALTH_EVERY_MS = 5 * 60_000;

type Overview = DataOf<"get_overview">;

/** What needs a person, and why; below it, figures over time. */
export default function Today({ me }: { me: Me }): ReactNode {
	const { data, error, refetch } = useRead("get_overview");
	return (
		<Page title={words.today.title}>
			<Problem error={error} retry={() => void refetch()} />
			{data === undefined ? error === null ? <Loading /> : null : <Cards overview={data} me={me} />}
			<Suspense fallback={<Loading />}>
				<Figures />
			</Suspense>
		</Page>
	);
}

function Cards({ overview, me }: { overview: Overview; me: Me }): ReactNode {
	const { exceptions, boxes_to_ship, held_orders, ending_lots, failing_endpoints, ending_keys, runs } = overview;
	const figures = [exceptions, boxes_to_ship, held_orders, ending_lots, failing_endpoints, ending_keys, runs];
	return (
		<>
			<p className="quiet">{words.today.asOf(momentText(overview.as_of))}</p>
			<Troubles isQuiet={figures.every(({ n }) => n === 0)} mayBegin={hasRole(me, "operator")} />
			<div className="cards">
				<Held held={held_orders} />
				<Card title={words.today.boxes(boxes_to_ship.n)} to="/warehouse" figure={boxes_to_ship}>
					{boxes_to_ship.by_age.map(({ days, n }) => (
						<li key={days}>
							<span className="strong">{n}</span> {words.today.days(days)}
						</li>
					))}
				</Card>
				<Card title={words.today.exceptions} to="/exceptions" figure={exceptions}>
					{exceptions.by_kind.map(({ kind, n, oldest_at }) => (
						<li key={kind}>
							<span className="strong">{n}</span> {kind} <Moment at={oldest_at} />
						</li>
					))}
				</Card>
				<Lots lots={ending_lots} />
				<Card title={words.today.endpoints(failing_endpoints.n)} to="/webhooks" figure={failing_endpoints}>
					{failing_endpoints.items.map(({ endpoint_id, partner, url, failing_since }) => (
						<li key={endpoint_id}>
							<Link to={`/webhooks/endpoints/${endpoint_id}`}>{partner}</Link> {url} <Moment at={failing_since} />
						</li>
					))}
				</Card>
				<Card title={words.today.keys(ending_keys.n)} to="/api-keys" figure={ending_keys}>
					{ending_keys.items.map(({ pk, name, partner, ends_at }) => (
						<li key={pk}>
							<Link to={`/api-keys/${encodeURIComponent(pk)}`}>
								{partner}: {name}
							</Link>{" "}
							<Moment at={ends_at} />
						</li>
					))}
				</Card>
				<Card title={words.today.runs} to="/runs" figure={runs}>
					{runs.items.map(({ run_id, operation, about, done, of }) => (
						<li key={run_id}>
							<Link to={`/runs/${run_id}`}>
								{operation} {about}
							</Link>{" "}
							<progress value={done} max={of ?? undefined} aria-label={about} />
						</li>
					))}
				</Card>
			</div>
		</>
	);
}

/** Problems of the service, the first steps of a new installation, or that nothing needs attention. */
function Troubles({ isQuiet, mayBegin }: { isQuiet: boolean; mayBegin: boolean }): ReactNode {
	const { data: health } = useRead("get_health", {}, HEALTH_EVERY_MS);
	const steps = useFirstSteps();
	const bad = health?.findings.filter(({ ok }) => !ok) ?? [];
	return (
		<>
			{bad.length === 0 ? null : (
				<p className="bad">
					<Link to="/health">{words.health.bad(bad.length)}</Link> {bad.map(({ what }) => what).join(", ")}
				</p>
			)}
			{mayBegin && steps ? <FirstSteps steps={steps} /> : null}
			{isQuiet && (steps === null || !mayBegin) && health !== undefined && bad.length === 0 ? (
				<Empty title={words.today.quiet} hint={words.today.quietHint} />
			) : null}
		</>
	);
}

type FirstStep = readonly [step: "formula" | "sku" | "lot" | "key", to: string, isDone: boolean];

/** The steps to the first reserve; null: all are done; undefined: not known yet. */
function useFirstSteps(): readonly FirstStep[] | null | undefined {
	const { data: formulas } = useRead("list_formulas", { query: { limit: 50 } });
	const { data: skus } = useRead("list_skus", { query: { limit: 50 } });
	const { data: lots } = useRead("list_lots", { query: { limit: 50 } });
	const { data: keys } = useRead("list_keys", { query: { limit: 50 } });
	if (formulas === undefined || skus === undefined || lots === undefined || keys === undefined) {
		return undefined;
	}
	const steps: readonly FirstStep[] = [
		["formula", "/catalogue/formulas", formulas.items.some(({ code }) => !isSample(code))],
		["sku", "/catalogue", skus.items.some(({ sku }) => !isSample(sku))],
		["lot", "/stock/receive", lots.items.some(({ brand_code }) => brand_code !== "SANDBOX")],
		["key", "/api-keys/new", keys.items.some(({ environment }) => environment === "live")],
	];
	return steps.every(([, , isDone]) => isDone) ? null : steps;
}

const FirstSteps = ({ steps }: { steps: readonly FirstStep[] }): ReactNode => (
	<section className="card">
		<h2>{words.today.first}</h2>
		<p>{words.today.firstHint}</p>
		<ol>
			{steps.map(([step, to, isDone]) => (
				<li key={step}>
					<Link to={to}>{words.today.steps[step]}</Link>
					{isDone ? " ✓" : ""}
				</li>
			))}
		</ol>
		<p>
			<Link to="/import">{words.today.steps.import}</Link>
		</p>
	</section>
);

/** Codes of the sandbox, which every installation has. */
const isSample = (code: string): boolean => /^(SBX|F)-|^SANDBOX/.test(code);

interface CardProps {
	readonly title: string;
	/** The page with all of it. */
	readonly to: string;
	readonly figure: { readonly n: number; readonly more: boolean };
	readonly children: ReactNode;
}

/** One figure with what it counts; nothing if the figure is 0. */
const Card = ({ title, to, figure: { n, more }, children }: CardProps): ReactNode =>
	n === 0 ? null : (
		<section className="card">
			<h2>
				<Link to={to}>
					<span className="figure">{more ? `${n}+` : n}</span> {title}
				</Link>
			</h2>
			<ul className="plain">{children}</ul>
		</section>
	);

const Held = ({ held }: { held: Overview["held_orders"] }): ReactNode => (
	<Card title={words.today.held(held.n)} to="/orders?status=held" figure={held}>
		{held.items.map(({ order_id, ref, partner, reason, lacking_units, could_be_released, held_at }) => (
			<li key={order_id}>
				<Link to={`/orders/${order_id}`}>
					{ref}, {partner}
				</Link>{" "}
				<State word={words.orders.reasons[reason as keyof typeof words.orders.reasons] ?? reason} tone="bad" />{" "}
				<Moment at={held_at} /> {lacking_units > 0 ? words.today.lacks(lacking_units) : null}{" "}
				{could_be_released ? words.today.canGo : null}
			</li>
		))}
	</Card>
);

const Lots = ({ lots }: { lots: Overview["ending_lots"] }): ReactNode => (
	<Card title={words.today.lots} to="/stock" figure={lots}>
		{lots.items.map(({ fg_id, formula, brand_code, batch_number, expires_on, in_date, holders, ...units }) => (
			<li key={fg_id}>
				<Link to={`/stock/${fg_id}`}>
					{formula} {batch_number}
				</Link>{" "}
				({brand_code ?? words.stock.shared}){" "}
				<State word={in_date ? expires_on : `${expires_on} ${words.today.ended}`} tone={in_date ? "plain" : "bad"} />{" "}
				{words.today.units(units.available + units.held + units.allocated)}
				{holders.map(({ partner, units: held }) => (
					<span key={partner} className="quiet">
						{" "}
						{partner}: {words.today.units(held)}
					</span>
				))}
			</li>
		))}
	</Card>
);
