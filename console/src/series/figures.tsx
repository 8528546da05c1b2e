import { type ReactNode, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useRead } from "../api/use.ts";
import { Empty, Loading, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Chart } from "./chart.tsx";
import { FigureTable } from "./figure-table.tsx";
import { conversionOf, linesOf, type Series } from "./lines.ts";
import { askedFor, RANGES, rangeOf } from "./range.ts";

const NAMES = ["requests", "refusals", "holds", "deliveries"] as const;
type Name = (typeof NAMES)[number];

/** Figures over time as charts, of all keys or of one. Only pages that show it load it and the charts' library. */
export default function Figures({ pk }: { pk?: string }): ReactNode {
	const [search, setSearch] = useSearchParams();
	const [asTable, setAsTable] = useState(false);
	const range = rangeOf(search.get("figures"));
	const { query, everyMs } = askedFor(range);
	const of = pk === undefined ? {} : { key: pk };
	const reads = {
		requests: useRead("get_series", { query: { name: "requests", ...query, ...of } }, everyMs),
		refusals: useRead("get_series", { query: { name: "refusals", ...query, ...of } }, everyMs),
		holds: useRead("get_series", { query: { name: "holds", ...query, ...of } }, everyMs),
		deliveries: useRead("get_series", { query: { name: "deliveries", ...query, ...of } }, everyMs),
	};
	const all = NAMES.map((name) => reads[name]);
	const choose = (to: string): void => {
		search.set("figures", to);
		setSearch(search, { replace: true });
	};
	return (
		<section aria-label={words.figures.title}>
			<h2>{words.figures.title}</h2>
			<div className="filters">
				<label>
					{words.figures.time}
					<select value={range} onChange={({ target }) => choose(target.value)}>
						{RANGES.map((each) => (
							<option key={each} value={each}>
								{words.figures.ranges[each]}
							</option>
						))}
					</select>
				</label>
				<button type="button" className="beside" onClick={() => setAsTable(!asTable)}>
					{asTable ? words.figures.asChart : words.figures.asTable}
				</button>
			</div>
			<Problem
				error={all.find(({ error }) => error !== null)?.error ?? null}
				retry={() => void Promise.all(all.map(({ refetch }) => refetch()))}
			/>
			{all.every(({ data }) => data?.points.length === 0) ? (
				<Empty title={words.figures.empty} hint={words.figures.emptyHint} />
			) : (
				<div className="figures">
					{NAMES.map((name) => (
						<Figure key={name} name={name} read={reads[name]} asTable={asTable} pk={pk} />
					))}
				</div>
			)}
		</section>
	);
}

/** The page that lists what each figure counts. */
const PLACES: { readonly [name in Name]: string } = {
	requests: "/requests",
	refusals: "/requests/errors",
	holds: "/holds",
	deliveries: "/webhooks/deliveries",
};
/** The figures whose pages can be filtered by a key. */
const OF_KEY: readonly Name[] = ["requests", "holds"];

interface FigureProps {
	readonly name: Name;
	readonly read: { readonly data: Series | undefined; readonly error: Error | null };
	readonly asTable: boolean;
	readonly pk: string | undefined;
}

function Figure({ name, read: { data, error }, asTable, pk }: FigureProps): ReactNode {
	const shown = useMemo(() => (data === undefined ? null : linesOf(name, data)), [name, data]);
	const title = words.figures[name];
	const to = pk !== undefined && OF_KEY.includes(name) ? `${PLACES[name]}?key=${encodeURIComponent(pk)}` : PLACES[name];
	return (
		<article className="card" aria-label={title}>
			<h3>
				<Link to={to}>{title}</Link>
			</h3>
			{name === "deliveries" && pk !== undefined ? <p className="hint">{words.figures.deliveriesOfKey}</p> : null}
			{data === undefined || shown === null ? (
				error === null ? (
					<Loading />
				) : null
			) : shown.lines.length === 0 ? (
				<p className="quiet">{words.figures.none}</p>
			) : (
				<>
					{name === "holds" ? <Conversion holds={data} /> : null}
					{asTable ? null : <Chart title={title} step={data.step} shown={shown} />}
					<FigureTable title={title} step={data.step} shown={shown} isSeen={asTable} hasSum={name !== "holds"} />
				</>
			)}
		</article>
	);
}

function Conversion({ holds }: { holds: Series }): ReactNode {
	const share = conversionOf(holds);
	return share === null ? (
		<p className="quiet">{words.figures.noConversion}</p>
	) : (
		<p className="tight">
			<span className="figure">{share} %</span> {words.figures.conversion}
		</p>
	);
}
