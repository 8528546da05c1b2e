import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { callOperator, type DataOfCall, listItems, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { listed, print, tableOf } from "../terminal/output.ts";
import { addFinish, addReview, addWaive, GOLIVE_HINT } from "./golives-end.ts";
import { KEY_HINT } from "./keys.ts";

const { state: STATES } = FIELDS.list_golives;
const { what: STEPS } = FIELDS.drill_golive;
const { what: STOPPABLE } = FIELDS.stop_golive;

interface ListOptions extends JsonOption {
	readonly state?: (typeof STATES)[number];
	readonly key?: string;
	readonly partner?: string;
	readonly limit?: number;
}

export function addGoLives(program: Command): void {
	const group = program.command("golives").description("go-live runs, which grade a partner's sandbox traffic");
	addCommand(group, "list", "go-live runs, the newest first", "golives list --state running")
		.option("--state <state>", `only in this state: ${STATES.join(", ")}`, choice(...STATES))
		.option("--key <pk-or-name>", "only of this sandbox key")
		.option("--partner <name>", "only of this partner")
		.option(...limitOption())
		.action(async ({ json, limit = DEFAULT_LIMIT, ...query }: ListOptions) => {
			const list = await listItems("list_golives", query, limit, KEY_HINT);
			print(list, json, () => listed(list, "No go-lives.", "--state, --key or --partner", runTable));
		});
	addCommand(
		group,
		"start <key>",
		"grade the traffic of a sandbox key from now on",
		"golives start acme/shop --status-url https://shop.example.com/status.json",
	)
		.option("--status-url <url>", "where the partner's site lists what it shows: https, or an address of this machine")
		.action(async (key: string, { statusUrl, json }: JsonOption & { readonly statusUrl?: string }) => {
			const run = await callOperator("start_golive", { body: { key, status_url: statusUrl } }, KEY_HINT);
			print(run, json, () => `Go-live ${run.number} of ${run.partner} has started.`);
		});
	addCommand(group, "show <number>", "a run, and the verdict of each check", "golives show 7").action(
		async (id: string, { json }: JsonOption) => {
			const run = await callOperator("get_golive", { params: { id } }, GOLIVE_HINT);
			print(run, json, () => [...describeRun(run), "", ...describeChecks(run.checks)].join("\n"));
		},
	);
	addReport(group);
	addDrill(group);
	addStop(group);
	addReview(group);
	addWaive(group);
	addFinish(group);
}

function addReport(group: Command): void {
	addCommand(group, "report <number>", "the report of a run", "golives report 7 --output go-live-7.pdf")
		.option("--output <file>", "write it to this file, .pdf or .html")
		.action(async (id: string, { output, json }: JsonOption & { readonly output?: string }, command: Command) => {
			if (output === undefined) {
				const report = await callOperator("get_golive_report", { params: { id } }, GOLIVE_HINT);
				return print(report, json, () => [...describeReport(report), "", ...describeChecks(report.checks)].join("\n"));
			}
			const accept = /\.pdf$/i.test(output) ? "application/pdf" : /\.html?$/i.test(output) ? "text/html" : null;
			if (accept === null) return command.error("error: the name of the file has to end in .pdf or .html");
			await withOperator(async (_call, session) => {
				const file = await session.open("get_golive_report", { params: { id }, accept });
				await pipeline(file, createWriteStream(output));
			});
			print({ file: output }, json, () => `Written: ${output}`);
		});
}

function addDrill(group: Command): void {
	addCommand(
		group,
		"drill <number>",
		"refuse the sandbox key for ten minutes, or start another step",
		"golives drill 7",
	)
		.option("--what <step>", `what to start: ${STEPS.join(", ")} (drill)`, choice(...STEPS))
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (id: string, { json, ...body }: JsonOption & { what?: (typeof STEPS)[number]; reason?: string }) => {
			const run = await callOperator("drill_golive", { params: { id }, body }, GOLIVE_HINT);
			print(run, json, () => describeRun(run).join("\n"));
		});
}

function addStop(group: Command): void {
	addCommand(group, "stop <number>", "end a whole run, its drill, or its unkind hour", "golives stop 7 --what drill")
		.requiredOption("--what <what>", `what to end: ${STOPPABLE.join(" or ")}`, choice(...STOPPABLE))
		.option("--reason <text>", "the reason")
		.action(
			async (id: string, { json, ...body }: JsonOption & { what: (typeof STOPPABLE)[number]; reason?: string }) => {
				const run = await callOperator("stop_golive", { params: { id }, body }, GOLIVE_HINT);
				print(run, json, () => describeRun(run).join("\n"));
			},
		);
}

type Run = DataOfCall<"stop_golive">;
type Report = DataOfCall<"get_golive_report">;

const runTable = (runs: readonly Run[]): string =>
	tableOf(runs, {
		NUMBER: "number",
		STATE: "state",
		PARTNER: "partner",
		KEY: "key_name",
		STARTED: "started_at",
		BY: "started_by",
		ENDED: "ended_at",
		"PRODUCTION KEY": "production_key",
	});

function describeRun(run: Run): string[] {
	return [
		`Go-live ${run.number} of ${run.partner}, key ${run.key_name} (${run.key}): ${run.state}`,
		...("line" in run && typeof run.line === "string" ? [run.line] : []),
		...(run.drill_until === null ? [] : [`A drill is under way until ${run.drill_until}.`]),
		...(run.unkind_until === null ? [] : [`The sandbox is unkind to the key until ${run.unkind_until}.`]),
		...(run.messages_pending ? ["Messages to the partner's endpoint are being sent."] : []),
		...(run.retirement_pending ? ["A certificate is going to be retired."] : []),
		...(run.next_look_at === null ? [] : [`The next look at ${run.status_url} is due at ${run.next_look_at}.`]),
	];
}

const describeReport = (report: Report): string[] => [
	`Go-live ${report.number} of ${report.partner}${report.final ? "" : " (not finished)"}: ${report.line}`,
	`digest ${report.digest}`,
];

function describeChecks(checks: Report["checks"]): string[] {
	return checks.flatMap(({ check, verdict, says, cure, waiver }) => [
		`${verdict.padEnd(8)} ${check}: ${says}`,
		...(cure === null ? [] : [`         ${cure}`]),
		...(waiver === null ? [] : [`         Waived by ${waiver.by}: ${waiver.reason}`]),
	]);
}
