import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { callToEnd } from "../client/follow-run.ts";
import { callOperator, type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { DEFAULT_LIMIT, limitOption, wholeNumber } from "../terminal/options.ts";
import { listed, plural, print } from "../terminal/output.ts";

const HINTS = { not_found: `${quotedCommand("demand exceptions")} lists the open ones.` } as const;
const exceptionId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Adds the commands for demand that could not be promised or drawn down. */
export function addExceptions(group: Command): void {
	const exceptions = addCommand(
		group,
		"exceptions",
		"what could not be promised or drawn down: unknown stores and SKUs, SKUs without a recipe, shortages",
		"demand exceptions",
	)
		.option(...limitOption())
		.action(async ({ limit = DEFAULT_LIMIT, json }: { limit?: number; json?: true }) => {
			const list = await listItems("list_exceptions", {}, limit);
			print(list, json, () => listed(list, "No open exceptions.", null, describe));
		});
	addCommand(
		exceptions,
		"resolve",
		"close an exception that was dealt with in another way: nothing is promised or drawn down for it any more",
		"demand exceptions resolve 17 --note 'counted by hand on 2026-11-22'",
	)
		.argument("<id>", "the exception", exceptionId)
		.requiredOption("--note <text>", "what was done; kept with the exception")
		.action(async (id: number, { note, json }: { note: string; json?: true }) => {
			const asked = { params: { id: String(id) }, body: { reason: note } };
			const resolved = await callOperator("dismiss_exception", asked, HINTS);
			print(resolved, json, () => `Exception ${resolved.exception_id} of ${resolved.reference} is resolved.`);
		});
	addCommand(
		exceptions,
		"retry",
		"try an exception again, or all of them, with the current stores, SKUs and lots",
		"demand exceptions retry",
	)
		.argument("[id]", "only this exception and the others of its reference", exceptionId)
		.option("--shared", "take missing units from the shared stock too; needs an <id>")
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (id: number | undefined, { shared, reason, json }: RetryOptions, command: Command) => {
			if (shared === true && id === undefined) command.error("error: --shared needs the id of an exception");
			const retried =
				id === undefined
					? await callToEnd("retry_exceptions", { body: { reason } }, { title: "Retrying exceptions" })
					: await callOperator("retry_exception", { params: { id: String(id) }, body: { shared, reason } }, HINTS);
			const { references, drawn_units: drawn, missing_units: missing } = retried;
			print(
				retried,
				json,
				() =>
					`${plural(references, "reference")} tried again: ${plural(drawn, "unit")} drawn down, ${missing} still missing.`,
			);
		});
}

interface RetryOptions extends JsonOption {
	readonly shared?: boolean;
	readonly reason?: string;
}

type ListedException = ItemOf<"list_exceptions">;

/** The command that resolves each kind. */
const HELPS: { readonly [kind in ListedException["kind"]]: string } = {
	unknown_store: "demand store set <store> --brand <code>",
	unknown_sku: "demand exceptions retry",
	no_recipe: "demand exceptions retry",
	shortage: "demand exceptions retry",
};

const describe = (exceptions: readonly ListedException[]): string =>
	exceptions
		.map(
			({ exception_id: id, reference, kind, created_at: since, what, todo }) =>
				`${id}  ${reference}, since ${since}\n    ${what}\n    ${todo} ${quotedCommand(HELPS[kind])}`,
		)
		.join("\n");
