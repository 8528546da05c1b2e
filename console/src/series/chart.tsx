import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { words } from "../words/words.ts";
import { drawPlot, type Plot } from "./draw-plot.ts";
import type { Lines, Series } from "./lines.ts";
import { numberText, STEP_TEXT } from "./moment.ts";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const onDark = (tell: () => void): (() => void) => {
	DARK.addEventListener("change", tell);
	return () => DARK.removeEventListener("change", tell);
};

interface ChartProps {
	readonly title: string;
	readonly step: Series["step"];
	readonly shown: Lines;
}

/** Lines over time, with a legend; pointing at a time shows its figures. */
export function Chart({ title, step, shown }: ChartProps): ReactNode {
	const { times, lines } = shown;
	const box = useRef<HTMLDivElement>(null);
	const plot = useRef<Plot | null>(null);
	const latest = useRef(shown);
	const [place, setPlace] = useState<number | null>(null);
	const isDark = useSyncExternalStore(onDark, () => DARK.matches);
	const looks = lines.map(({ text, colour }) => `${text} ${colour}`).join();
	latest.current = shown;
	// biome-ignore lint/correctness/useExhaustiveDependencies: other lines and other colours need a new drawing
	useEffect(() => {
		if (box.current === null) return;
		const made = drawPlot(box.current, step, latest.current, setPlace);
		plot.current = made;
		const observer = new ResizeObserver(() => made.fit());
		observer.observe(box.current);
		return () => {
			observer.disconnect();
			made.destroy();
			plot.current = null;
		};
	}, [step, looks, isDark]);
	useEffect(() => plot.current?.setLines(shown), [shown]);
	const at = place === null ? undefined : times[place];
	const sums = lines.map(({ text, sum }) => `${text} ${numberText(sum)}`).join(", ");
	return (
		<>
			<div
				ref={box}
				className="plot"
				role="img"
				aria-label={words.figures.chart(title, words.figures.steps[step], sums)}
			/>
			<p className="quiet tight" aria-hidden="true">
				{at === undefined ? words.figures.steps[step] : STEP_TEXT[step](at)}
			</p>
			<ul className="plain key-of-lines" aria-hidden="true">
				{lines.map(({ text, colour, dashes, values, sum }) => (
					<li key={text}>
						<svg width="28" height="8" className={`stroke-${colour}`} aria-hidden="true">
							<line x1="0" y1="4" x2="28" y2="4" strokeWidth="2" strokeDasharray={dashes.join(" ")} />
						</svg>{" "}
						{text} <span className="strong">{numberText((place === null ? sum : values[place]) ?? 0)}</span>
					</li>
				))}
			</ul>
		</>
	);
}
