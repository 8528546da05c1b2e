/** The table, as lines of text. */
import { CELLS } from "./cells.ts";
import { figuresOf, median, type Results } from "./results.ts";
import type { Verdict } from "./targets.ts";
import type { Costs } from "./webhooks.ts";

/** If more requests of a cell were refused or failed, its figures do not measure what its name says. */
const MAX_OTHER_SHARE = 0.01;
const BYTES_PER_MIB = 1_048_576;

const number = (value: number, digits = 0): string =>
	Number.isFinite(value)
		? value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
		: "-";

function columns(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
	const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
	const line = (cells: readonly string[]): string =>
		cells
			.map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!)))
			.join("  ")
			.trimEnd();
	return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)];
}

const TARGET_NAMES = {
	service: "service",
	gate: "gate alone",
	plain: "one transaction per request",
	script: "database alone, script",
	call: "database alone, one call",
} as const;

export function measurementLines({ samples }: Results): string[] {
	const rows = CELLS.flatMap(({ id, world, target, asked, spread }) => {
		const measured = samples.get(id);
		if (!measured) return [];
		const figures = figuresOf(measured);
		const what = `${asked}${asked === "reserve" ? ` ${spread}` : ""}, ${TARGET_NAMES[target]}, ${world}`;
		return [
			[
				what,
				String(figures.connections),
				number(figures.rate),
				`${number(figures.lowest)}-${number(figures.highest)}`,
				number(figures.p50Ms, 2),
				number(figures.p99Ms, 1),
				target === "script" || target === "call" ? "-" : number(figures.serverUs),
				number(figures.postgresUs),
				number(figures.generatorUs),
				figures.otherShare > MAX_OTHER_SHARE ? `INVALID: ${number(figures.otherShare * 100, 1)} %` : "",
			],
		];
	});
	const head = ["", "conns", "per s", "range", "p50 ms", "p99 ms", "server us", "pg us", "load us", "failed"];
	return rows.length === 0 ? [] : columns(head, rows);
}

export function verdictLines(verdicts: readonly Verdict[]): string[] {
	const rows = verdicts
		.filter(({ ratio }) => !Number.isNaN(ratio))
		.map(({ what, ratio, atLeast, atMost, met }) => [
			what,
			number(ratio, 2),
			atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : "",
			atLeast === undefined && atMost === undefined ? "" : met ? "met" : "NOT MET",
		]);
	return rows.length === 0 ? [] : columns(["ratio", "found", "target", ""], rows);
}

export function memoryLines({ memory }: Results): string[] {
	const mib = (values: number[]): string => number(median(values) / BYTES_PER_MIB);
	const rows = [...memory].map(([moment, all]) => [
		moment,
		mib(all.map(({ service }) => service)),
		mib(all.map(({ postgres }) => postgres)),
	]);
	return rows.length === 0 ? [] : columns(["memory, MiB", "service", "PostgreSQL"], rows);
}

export function sendingLines({ sending }: Results): string[] {
	if (sending.length === 0) return [];
	const of = (value: (one: Results["sending"][number]) => number, digits = 0): string =>
		number(median(sending.map(value)), digits);
	return columns(
		["webhooks", "median"],
		[
			["events delivered per s, one service, one endpoint", of((one) => one.eventsPerSecond)],
			["the same posts per s by undici alone", of((one) => one.barePerSecond)],
			["from commit to post, ms", of((one) => one.commitToPostMs, 1)],
			["reserves per s, nothing is sent", of((one) => one.reservesAlone)],
			["reserves per s beside deliveries", of((one) => one.reservesBeside)],
			["those deliveries per s", of((one) => one.deliveriesBeside)],
			["deliveries per s, nothing else is done", of((one) => one.deliveriesAlone)],
			...costRows("a reserve", (cost) => of((one) => cost(one.reserveUs))),
			...costRows("a delivery", (cost) => of((one) => cost(one.deliveryUs))),
		],
	);
}

/** The cost of one event or reserve, by process. */
function costRows(what: string, of: (cost: (costs: Costs) => number) => string): string[][] {
	const costs: { readonly [name: string]: (costs: Costs) => number } = {
		service: ({ service }) => service,
		PostgreSQL: ({ postgres }) => postgres,
		"the partner's side": ({ partner }) => partner,
		"what records events": ({ recorder }) => recorder,
	};
	return Object.entries(costs).map(([name, cost]) => [`CPU us of ${what}: ${name}`, of(cost)]);
}

export function startLines({ starts }: Results): string[] {
	if (starts.length === 0) return [];
	const ms = (of: (one: Results["starts"][number]) => number): string => number(median(starts.map(of)));
	return columns(
		["start, ms", "median"],
		[
			["service, cold", ms(({ coldMs }) => coldMs)],
			["service, warm", ms(({ warmMs }) => warmMs)],
			["initdb alone", ms(({ bareInitdbMs }) => bareInitdbMs)],
			["PostgreSQL's start alone", ms(({ bareStartMs }) => bareStartMs)],
		],
	);
}
