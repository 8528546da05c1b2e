import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { callOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, within } from "../terminal/options.ts";
import { print } from "../terminal/output.ts";

const { check: CHECKS } = FIELDS.waive_golive;
const { preset: PRESETS, scopes: SCOPES, requests_per_minute: RATE } = FIELDS.finish_golive;
/** The hint for a run that does not exist. */
export const GOLIVE_HINT = { not_found: `${quotedCommand("golives list")} shows them all.` } as const;
type Check = (typeof CHECKS)[number];
type Scope = (typeof SCOPES)[number];

/** A verdict of a person. */
export function addReview(group: Command): void {
	addCommand(
		group,
		"review <number> <check>",
		"give your verdict on a check that only a person can judge",
		'golives review 7 mirror_equal --passed --words "Ten product pages show the counts."',
	)
		.option("--passed", "it is as it should be")
		.option("--not-passed", "it is not")
		.requiredOption("--words <text>", "what you saw, and where; the report includes it")
		.action(async (id: string, name: string, options: ReviewOptions, command: Command) => {
			if (options.passed === options.notPassed) return command.error("error: give either --passed or --not-passed");
			const body = { check: checkOf(name), passed: options.passed === true, words: options.words };
			const run = await callOperator("review_golive", { params: { id }, body }, GOLIVE_HINT);
			print(run, options.json, () => `Your verdict on ${name} of go-live ${run.number} is noted.`);
		});
}

interface ReviewOptions extends JsonOption {
	readonly passed?: true;
	readonly notPassed?: true;
	readonly words: string;
}

/** Lets a run finish without a check. */
export function addWaive(group: Command): void {
	addCommand(
		group,
		"waive <number> <check>",
		"let a run finish without a check",
		'golives waive 7 coa_feed --reason "The shop sells nothing that has a certificate."',
	)
		.requiredOption("--reason <text>", "the reason; the report includes it")
		.action(async (id: string, name: string, { reason, json }: JsonOption & { readonly reason: string }) => {
			const body = { check: checkOf(name), reason };
			const run = await callOperator("waive_golive", { params: { id }, body }, GOLIVE_HINT);
			print(run, json, () => `Go-live ${run.number} may finish without ${name}.`);
		});
}

const checkOf = (name: string): Check => choice(...CHECKS)(name);

interface FinishOptions extends JsonOption {
	readonly name: string;
	readonly brand: string;
	readonly preset?: (typeof PRESETS)[number];
	readonly scopes?: readonly Scope[];
	readonly sharedPool?: true;
	readonly requestsPerMinute?: number;
}

/** Finishes a run. */
export function addFinish(group: Command): void {
	addCommand(
		group,
		"finish <number>",
		"issue the partner's production key, shown once, and file the report",
		"golives finish 7 --name web --brand ACME --preset fulfilment",
	)
		.requiredOption("--name <name>", "the name of the key, unique within the partner")
		.requiredOption("--brand <code>", "the brand that it is bound to")
		.option("--preset <preset>", `its scopes by name: ${PRESETS.join(", ")}`, choice(...PRESETS))
		.option("--scopes <scope,…>", `its scopes, separated by commas: ${SCOPES.join(", ")}`, (text: string) =>
			text.split(",").map(choice(...SCOPES)),
		)
		.option("--shared-pool", "let it draw on the shared pool")
		.option("--requests-per-minute <n>", "requests in any 60 seconds (60)", within(RATE))
		.action(async (id: string, options: FinishOptions, command: Command) => {
			if ((options.preset === undefined) === (options.scopes === undefined)) {
				return command.error("error: give either --preset or --scopes");
			}
			const { name, brand, preset, scopes, sharedPool, requestsPerMinute } = options;
			const body = {
				name,
				brand_code: brand,
				preset,
				scopes,
				shared_pool: sharedPool,
				requests_per_minute: requestsPerMinute,
			};
			const done = await callOperator("finish_golive", { params: { id }, body }, GOLIVE_HINT);
			print(done, options.json, () =>
				[
					`Go-live ${done.report.number} is finished: ${done.report.line}.`,
					`The report has the digest ${done.report.digest}.`,
					`The sandbox key ${done.report.sandbox_key} now ends on ${done.sandbox_key_revoked_at}.`,
					"The token of the production key is shown only this once: keep it.",
					"",
					`  ${done.token}`,
				].join("\n"),
			);
		});
}
