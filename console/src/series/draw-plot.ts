import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Lines, Series } from "./lines.ts";
import { shortNumberText, TICK_TEXT } from "./moment.ts";

/** Pixels. */
const HEIGHT = 200;
const AXIS_WIDTH = 48;
const AXIS_HEIGHT = 28;
const TICK_EVERY_X = 72;
const TICK_EVERY_Y = 36;
const LINE_WIDTH = 2;
const FONT = "12px system-ui, sans-serif";
/** The room above the highest figure, as a share of it. */
const HEADROOM = 0.1;
/** Possible distances between the ticks of an axis, all whole numbers. */
const WHOLE = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** A chart in the page. Its canvas takes the colours of the page when it is made: make another when they change. */
export interface Plot {
	setLines(lines: Lines): void;
	/** Fits it to the width of the element that it is in. */
	fit(): void;
	destroy(): void;
}

/** Draws lines into an element. `onPoint` is called with the step under the pointer; null: none. */
export function drawPlot(
	into: HTMLElement,
	step: Series["step"],
	{ times, lines }: Lines,
	onPoint: (place: number | null) => void,
): Plot {
	const colour = coloursOf(into);
	const axis = { stroke: colour("quiet"), font: FONT, ticks: { show: false } };
	const grid = { stroke: colour("line"), width: 1 };
	const plot = new UPlot(
		{
			width: into.clientWidth,
			height: HEIGHT,
			legend: { show: false },
			cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
			hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
			...(step === "day" ? { tzDate: (at: number) => UPlot.tzDate(new Date(at * 1_000), "Etc/UTC") } : {}),
			scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * (1 + HEADROOM))] } },
			axes: [
				{
					...axis,
					size: AXIS_HEIGHT,
					space: TICK_EVERY_X,
					grid: { show: false },
					values: (_plot, ticks) => ticks.map((at) => TICK_TEXT[step](at * 1_000)),
				},
				{
					...axis,
					grid,
					size: AXIS_WIDTH,
					space: TICK_EVERY_Y,
					incrs: WHOLE,
					values: (_plot, ticks) => ticks.map(shortNumberText),
				},
			],
			series: [
				{},
				...lines.map(({ text, colour: name, dashes }) => ({
					label: text,
					stroke: colour(name),
					width: LINE_WIDTH,
					dash: [...dashes],
					points: { show: false },
				})),
			],
		},
		dataOf({ times, lines }),
		into,
	);
	return {
		setLines: (next) => plot.setData(dataOf(next)),
		fit: () => plot.setSize({ width: into.clientWidth, height: HEIGHT }),
		destroy: () => plot.destroy(),
	};
}

const dataOf = ({ times, lines }: Lines): UPlot.AlignedData => [
	times.map((at) => at / 1_000),
	...lines.map(({ values }) => [...values]),
];

/** The colours of the page as they are now, light or dark, in a form that a canvas can read. */
function coloursOf(into: HTMLElement): (name: string) => string {
	const probe = document.createElement("span");
	into.append(probe);
	const found = new Map<string, string>();
	for (const name of ["link", "good", "bad", "ink", "quiet", "edge", "line"]) {
		probe.style.color = `var(--${name})`;
		found.set(name, getComputedStyle(probe).color);
	}
	probe.remove();
	return (name) => found.get(name) ?? "";
}
