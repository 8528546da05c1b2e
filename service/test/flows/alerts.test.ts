import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { addReplicaFigures, openFigures } from "../../src/assembly/figures.ts";
import { LISTED_EPOCHS } from "../../src/deps.ts";
import { createRaiseTimes } from "../../src/ground/pg/epoch.ts";
import { PG_TASKS } from "../../src/ground/pg/tasks.ts";
import { STOCK_TASKS } from "../../src/inventory/stock/tasks.ts";
import { createMetrics } from "../../src/partners/http/metrics.ts";
import { HOLD_OUTCOMES } from "../../src/partners/http/work-metrics.ts";
import { type House, openHouse } from "../house.ts";
import { readText } from "../tidy/source.ts";

/*
 * Rules and pages name only metrics that /metrics prints: a rule about a removed metric or a renamed task would never
 * fire, and nobody would notice.
 */

interface Rule {
	readonly alert: string;
	readonly expr: string;
	readonly for?: string;
	readonly labels: { readonly severity: string };
	readonly annotations: { readonly summary: string; readonly action: string };
}
const { groups } = parse(readText("docs/operator/alerts.yml")) as { groups: { name: string; rules: Rule[] }[] };
const RULES = groups.flatMap(({ rules }) => rules);

/** Every value of every label of every metric, as it is printed. */
type Printed = Map<string, Map<string, Set<string>>>;

let house: House;
let printed: Printed;
let text: string;

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ TEA: 10 });
	const { token } = await house.mint({ scopes: ["atp.reserve", "atp.release", "atp.consume"] });
	const reserve = (external_ref: string) =>
		house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty: 1 }], external_ref } });
	const first = await reserve("one");
	await reserve("one");
	await house.call(token, "/api/v1/consume", {
		body: { reservation_token: first.json.data.reservation_token, external_ref: "sale" },
	});
	await house.call(token, "/api/v1/consume/reverse", { body: { external_ref: "sale" } });
	const { reservation_token } = (await reserve("two")).json.data;
	await house.call(token, "/api/v1/release", { body: { reservation_token } });
	await reserve("three");
	await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty: 11 }] } });
	await house.call(null, "/api/v1/reserve", { body: {} });
	await fetch(`${house.api}/readyz`);
	const { deps } = house;
	const raiseTimes = createRaiseTimes(LISTED_EPOCHS);
	for (const { run } of [...STOCK_TASKS, ...PG_TASKS])
		await run({ ...deps, ...deps.notes, raiseTimes }, new AbortController().signal);
	text = await (await fetch(`${house.metrics}/metrics`)).text();
	printed = readPrinted(text);
	// the disk is that of the embedded database, jobs are of a label platform: this service has neither, and no replica
	const metrics = createMetrics();
	metrics.jobs.counterOf("push_order")("done", 1);
	metrics.jobs.note([]);
	openFigures(metrics, { connections: {}, dataDir: tmpdir() });
	const counts = new Map([["replica", 1]] as const);
	addReplicaFigures(metrics, { state: () => ({ unfit: null, lagMs: 900, counts }) });
	for (const [name, labels] of readPrinted(await metrics.registry.metrics()))
		if (/^holdfast_(disk|job|replica)/.test(name)) printed.set(name, labels);
});
afterAll(() => house.close());

function readPrinted(lines: string): Printed {
	const found: Printed = new Map();
	for (const [, name = "", labels = ""] of lines.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
		const known = found.get(name) ?? new Map<string, Set<string>>();
		found.set(name, known);
		for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
			known.set(label, (known.get(label) ?? new Set()).add(value));
		}
	}
	return found;
}

/** Codes and operations that this short run does not use; the tests of the glossary and of OpenAPI check them. */
const OPEN: ReadonlySet<string> = new Set(["code", "outcome"]);

/** Names in a rule that /metrics does not print. */
function wrongIn(expr: string): string[] {
	const wrong: string[] = [];
	for (const [, name = "", selector = ""] of expr.matchAll(/\b((?:holdfast|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)) {
		const labels = printed.get(name);
		if (labels === undefined) {
			wrong.push(`${name} is not printed`);
			continue;
		}
		for (const [, label = "", values = ""] of selector.matchAll(/(\w+)=~?"([^"]*)"/g)) {
			const known = labels.get(label);
			if (known === undefined) wrong.push(`${name} has no label ${label}`);
			else if (!OPEN.has(label))
				wrong.push(
					...values
						.split("|")
						.filter((one) => !known.has(one))
						.map((one) => `${name} has no ${label} ${one}`),
				);
		}
	}
	for (const [, labels = ""] of expr.matchAll(/\b(?:by|ignoring) \(?([\w, ]+)\)/g))
		for (const label of labels.split(/, */)) {
			const known = label === "le" || [...printed.values()].some((of) => of.has(label));
			if (!known) wrong.push(`nothing has a label ${label}`);
		}
	return wrong;
}

const sampleOf = (line: string): number =>
	Number(new RegExp(`^${line.replace(/[{}"]/g, "\\$&")} (\\S+)$`, "m").exec(text)?.[1]);

describe("What /metrics prints", () => {
	it.each([
		['holdfast_holds_total{outcome="made"}', 3],
		['holdfast_holds_total{outcome="replayed"}', 1],
		['holdfast_holds_total{outcome="consumed"}', 1],
		['holdfast_holds_total{outcome="reversed"}', 1],
		['holdfast_holds_total{outcome="released"}', 1],
		['holdfast_http_errors_total{operation="reserve",code="no_inventory"}', 1],
		['holdfast_http_errors_total{operation="reserve",code="unauthorized"}', 1],
		['holdfast_http_requests_total{operation="readyz",status="200"}', 1],
		['holdfast_db_connections{use="engine",state="awaited"}', 0],
		["holdfast_hold_overdue_seconds", 0],
	])("%s is %d", (line, value) => {
		expect(sampleOf(line)).toBe(value);
	});

	it("batches are counted, each once", () => {
		expect(sampleOf("holdfast_batch_commands_count")).toBeGreaterThanOrEqual(7);
		expect(sampleOf("holdfast_batch_seconds_count")).toBe(sampleOf("holdfast_batch_commands_count"));
		expect(sampleOf("holdfast_batch_commands_sum")).toBeGreaterThanOrEqual(8);
	});

	it("units are shown by pool and state, the database by its size, the build by its version", () => {
		const units = printed.get("holdfast_units");
		expect(units?.get("state")).toEqual(new Set(["available", "out_of_date", "held", "allocated", "quarantined"]));
		expect(units?.get("pool")).toContain("(shared)");
		expect(sampleOf("holdfast_database_bytes")).toBeGreaterThan(1e6);
		expect([...(printed.get("holdfast_build_info")?.get("schema") ?? [])]).toEqual([
			expect.stringMatching(/^0000\d\d_/),
		]);
	});

	it("every outcome of a hold has its counter from the beginning", () => {
		expect(printed.get("holdfast_holds_total")?.get("outcome")).toEqual(new Set(HOLD_OUTCOMES));
	});
});

describe("The rules of docs/operator/alerts.yml", () => {
	it.each(RULES)("$alert", ({ alert, expr, labels, annotations, ...rule }) => {
		expect(wrongIn(expr)).toEqual([]);
		expect(alert).toMatch(/^Holdfast[A-Z]\w+$/);
		expect(["page", "ticket", "note"]).toContain(labels.severity);
		expect(annotations.summary).toMatch(/\.$/);
		expect(annotations.action).toMatch(/[.?]$/);
		expect(rule.for ?? "1m").toMatch(/^\d+[mhd]$/);
		expect(expr.split("(").length).toBe(expr.split(")").length);
	});

	it("have different names", () => {
		expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
	});

	it("that name what is not there are refused", () => {
		expect(wrongIn('holdfast_gone > 0 or holdfast_units{place="x"} > 0')).toEqual([
			"holdfast_gone is not printed",
			"holdfast_units has no label place",
		]);
		expect(wrongIn('holdfast_task_last_run_timestamp_seconds{task=~"poll_keys|look_at_locks"}')).toEqual([
			"holdfast_task_last_run_timestamp_seconds has no task look_at_locks",
		]);
	});
});

interface Panel {
	readonly id: number;
	readonly type: string;
	readonly title: string;
	readonly description?: string;
	readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
	readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}
const { panels: PANELS } = JSON.parse(readText("docs/operator/dashboard.json")) as { panels: Panel[] };
const DRAWN = PANELS.filter(({ type }) => type !== "row");
/** Labels that Prometheus adds to what a node prints. */
const OF_TARGETS: ReadonlySet<string> = new Set(["instance"]);

describe("The panels of docs/operator/dashboard.json", () => {
	it.each(DRAWN)("$title", ({ description, targets = [] }) => {
		expect(description).toMatch(/\.$/);
		expect(targets.length).toBeGreaterThan(0);
		for (const { expr, legendFormat } of targets) {
			expect(wrongIn(expr), expr).toEqual([]);
			expect(expr.split("(").length).toBe(expr.split(")").length);
			const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
			const kept = (label: string): boolean =>
				OF_TARGETS.has(label) ? !/\bsum|\bmax|\bcount/.test(expr) : new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr);
			expect(shown.filter((label) => !kept(label))).toEqual([]);
		}
	});

	it("have different ids and titles, and cover one another nowhere", () => {
		expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length);
		expect(new Set(PANELS.map(({ title }) => title)).size).toBe(PANELS.length);
		const cells = PANELS.flatMap(({ gridPos: { h, w, x, y } }) =>
			Array.from({ length: h * w }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
		);
		expect(new Set(cells).size).toBe(cells.length);
		expect(Math.max(...PANELS.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
	});

	it("show every kind of metric of ours", () => {
		const exprs = DRAWN.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
		const kindOf = (name: string): string => name.split("_").slice(0, 2).join("_");
		const ours = [...printed.keys()].filter((name) => name.startsWith("holdfast_")).map(kindOf);
		expect([...new Set(ours)].filter((kind) => !exprs.includes(kind))).toEqual([]);
	});
});

it("docs/operator/metrics.md lists every metric of ours, and no other", () => {
	const listed = new Set(readText("docs/operator/metrics.md").match(/\bholdfast_\w+/g));
	const ours = [...printed.keys()]
		.filter((name) => name.startsWith("holdfast_"))
		.map((name) => name.replace(/_(bucket|sum|count)$/, ""));
	// absent until a run fails
	expect([...listed].toSorted()).toEqual(
		[...new Set([...ours, "holdfast_task_last_error_timestamp_seconds"])].toSorted(),
	);
});
