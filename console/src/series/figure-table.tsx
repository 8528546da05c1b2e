import type { ReactNode } from "react";
import { words } from "../words/words.ts";
import type { Lines, Series } from "./lines.ts";
import { numberText, STEP_TEXT } from "./moment.ts";

interface FigureTableProps {
	readonly title: string;
	readonly step: Series["step"];
	readonly shown: Lines;
	/** False: the table is for screen readers alone, in addition to the chart. */
	readonly isSeen: boolean;
	/** False: the columns overlap, so that their sum would count some things more than once. */
	readonly hasSum: boolean;
}

/** The figures of a chart as a table, newest first. */
export function FigureTable({ title, step, shown: { times, lines }, isSeen, hasSum }: FigureTableProps): ReactNode {
	const caption = words.figures.caption(title, words.figures.steps[step]);
	const rows = times
		.map((at, place) => ({ at, values: lines.map(({ values }) => values[place] ?? 0) }))
		.map((row) => ({ ...row, sum: row.values.reduce((sum, value) => sum + value, 0) }))
		.filter(({ sum }) => sum > 0)
		.toReversed();
	const scrolls = isSeen ? { role: "region", "aria-label": title, tabIndex: 0 } : {};
	return (
		<div className={isSeen ? "scroll" : "unseen"} {...scrolls}>
			<table>
				<caption>{caption}</caption>
				<thead>
					<tr>
						<th scope="col">{words.figures.at}</th>
						{lines.map(({ text }) => (
							<th key={text} scope="col" className="number">
								{text}
							</th>
						))}
						{hasSum ? (
							<th scope="col" className="number">
								{words.figures.sum}
							</th>
						) : null}
					</tr>
				</thead>
				<tbody>
					{rows.map(({ at, values, sum }) => (
						<tr key={at}>
							<th scope="row">
								<time dateTime={new Date(at).toISOString()}>{STEP_TEXT[step](at)}</time>
							</th>
							{lines.map(({ text }, column) => (
								<td key={text} className="number">
									{numberText(values[column] ?? 0)}
								</td>
							))}
							{hasSum ? <td className="number">{numberText(sum)}</td> : null}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
