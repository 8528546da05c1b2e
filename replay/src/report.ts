import { styleText } from "node:util";
import type { Comparison } from "./compare.ts";
import type { OrdersReport } from "./fulfil.ts";
import type { Kills } from "./killer.ts";
import type { Order } from "./orders.ts";
import { orderRows, toOrdersResult } from "./report-orders.ts";
import { OPERATIONS, percentile, type Tally } from "./tally.ts";

/** Differences that are shown; all are counted. */
const DIFFERENCES_SHOWN = 20;

export interface Verified {
	/** "clean", "not run", or the findings. */
	readonly verify: string;
	readonly clean: boolean;
}

export interface Run {
	readonly file: string;
	readonly seed: number;
	readonly inFlight: number;
	readonly orders: readonly Order[];
	readonly rows: number;
	readonly tally: Tally;
	/** Of the drive alone: from the first request until the last invoice was finished. */
	readonly seconds: number;
	/** Operations in that time, without the late ones on expiring holds. */
	readonly operationsInTime: number;
	readonly comparison: Comparison;
	/** Null: no orders were placed. */
	readonly ordersReport: OrdersReport | null;
	readonly stillHeld: number;
	readonly verified: Verified;
	readonly kills: Kills;
}

export type Report = ReturnType<typeof toReport>;

/** The result as data, for --json. */
export function toReport(run: Run) {
	const { tally, comparison, orders } = run;
	const of = (kind: Order["kind"]) => orders.filter((order) => order.kind === kind).length;
	const clean = comparison.differences.length === 0 && tally.faultCount === 0 && run.verified.clean;
	return {
		ok: clean,
		file: run.file,
		seed: run.seed,
		in_flight: run.inFlight,
		invoices: {
			total: orders.length,
			sales: of("sale"),
			cancellations: of("cancellation"),
			write_offs: of("write_off"),
		},
		lines: { in_file: run.rows, held: tally.linesHeld },
		operations: { ...tally.operations, total: tally.total },
		refusals: Object.fromEntries([...tally.refusals].toSorted(([a], [b]) => (a < b ? -1 : 1))),
		replays: tally.replays,
		connections: { cut: tally.cut, lost: tally.lost },
		doubles: tally.doubles,
		outcomes: {
			sold_short: tally.short,
			unsold: tally.unsold,
			cancelled_by_reverse: tally.undone,
			units_received_back: tally.returnedUnits,
			holds_ran_out: tally.expired,
			consumed_at_the_last_moment: tally.lateWins,
			still_held: run.stillHeld,
		},
		orders: tally.orders && run.ordersReport ? toOrdersResult(tally.orders, run.ordersReport) : null,
		kills: run.kills,
		seconds: round(run.seconds),
		operations_per_second: Math.round(run.operationsInTime / run.seconds),
		lines_per_second: Math.round(tally.linesHeld / run.seconds),
		p50_ms: round(percentile(tally.latencies, 0.5)),
		p99_ms: round(percentile(tally.latencies, 0.99)),
		max_ms: round(percentile(tally.latencies, 1)),
		verify: run.verified.verify,
		counts_compared: comparison.counts,
		differences: comparison.differences.length,
		differences_shown: comparison.differences.slice(0, DIFFERENCES_SHOWN),
		wrong_answers: tally.faultCount,
		wrong_answers_shown: tally.faults,
	};
}

const round = (value: number): number => Math.round(value * 10) / 10;
const number = (value: number): string => value.toLocaleString("en-US");

/** The same as a table for people. */
export function toTable(report: Report): string {
	const { invoices, operations, outcomes, kills } = report;
	const rows: [string, string][] = [
		[
			"invoices",
			`${number(invoices.total)} (${number(invoices.sales)} sales, ${number(invoices.cancellations)} cancellations, ${number(invoices.write_offs)} write-offs)`,
		],
		["lines", `${number(report.lines.in_file)} in the file, ${number(report.lines.held)} held`],
		[
			"operations",
			`${number(operations.total)} (${OPERATIONS.filter((name) => operations[name] > 0)
				.map((name) => `${name} ${number(operations[name])}`)
				.join(", ")})`,
		],
		[
			"refusals",
			Object.entries(report.refusals)
				.map(([code, count]) => `${code} ${number(count)}`)
				.join(", ") || "none",
		],
		["shortages", `${number(outcomes.sold_short)} sold in part, ${number(outcomes.unsold)} not at all`],
		[
			"cancellations",
			`${number(outcomes.cancelled_by_reverse)} consumes reversed, ${number(outcomes.units_received_back)} units received back`,
		],
		[
			"holds that ran out",
			`${number(outcomes.holds_ran_out)}, ${number(outcomes.consumed_at_the_last_moment)} consumed at the last moment, ${number(outcomes.still_held)} still held`,
		],
		[
			"connections",
			`${number(report.connections.cut)} cut on purpose, ${number(report.connections.lost)} lost; ${number(report.replays)} answers replayed, ${number(report.doubles)} doubles given back`,
		],
		...(report.orders === null ? [] : orderRows(report.orders)),
		["killed", `service ${kills.service} times, PostgreSQL ${kills.postgres} times`],
		["time", `${report.seconds} s with ${report.in_flight} invoices in flight`],
		["operations/s", `${number(report.operations_per_second)} (${number(report.lines_per_second)} lines/s)`],
		["latency", `p50 ${report.p50_ms} ms, p99 ${report.p99_ms} ms, longest ${number(report.max_ms)} ms`],
		["wrong answers", number(report.wrong_answers)],
		["verify", report.verify],
		["differences", `${number(report.differences)} in ${number(report.counts_compared)} counts`],
	];
	const width = Math.max(...rows.map(([name]) => name.length));
	const details = [
		...report.wrong_answers_shown.map((text) => `wrong answer: ${text}`),
		...report.differences_shown.map(
			(d) =>
				`difference: ${d.sku} as ${d.view} sees it, ${d.count}: expected ${String(d.expected)}, got ${String(d.got)}`,
		),
	];
	return [...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`), ...details].join("\n");
}

/** Milliseconds between two lines of progress without a terminal. */
const LINE_EVERY_MS = 2_000;
/** Milliseconds between two updates of the bar. */
const DRAW_EVERY_MS = 100;
const BAR_WIDTH = 30;

/** Progress on stderr: a bar on a terminal, occasional lines elsewhere. */
export class Progress {
	#drawn = 0;
	readonly #tty = process.stderr.isTTY;

	update(what: string, share: number, note: string): void {
		const now = performance.now();
		if (now - this.#drawn < (this.#tty ? DRAW_EVERY_MS : LINE_EVERY_MS)) return;
		this.#drawn = now;
		const percent = `${Math.floor(share * 100)}%`.padStart(4);
		if (!this.#tty) return void process.stderr.write(`${what} ${percent}  ${note}\n`);
		const full = Math.round(share * BAR_WIDTH);
		const bar = styleText("cyan", "█".repeat(full)) + "░".repeat(BAR_WIDTH - full);
		process.stderr.write(`\r\x1b[2K${what} ${bar} ${percent}  ${note}`);
	}

	/** Prints a line of its own. */
	say(line: string): void {
		process.stderr.write(`${this.#tty ? "\r\x1b[2K" : ""}${line}\n`);
	}
}
