import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { tellException } from "../../../service/src/inventory/demand/exception.ts";
import type { ListedException } from "../../../service/src/inventory/demand/exceptions-sql.ts";
import { granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { DEFAULT_LIMIT, limitOption, wholeNumber } from "../terminal/options.ts";
import { plural, print, snake } from "../terminal/output.ts";

const ORIGIN = { actor: "operator:cli", requestId: null } as const;
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
			const { listExceptions } = await import("../../../service/src/inventory/demand/exceptions-sql.ts");
			const { items, hasMore } = await withStore(({ db }) => listExceptions(db, limit));
			const told = items.map((one) => ({ ...one, ...tellException(one) }));
			print(snake({ items: told, hasMore }), json, () => describe(told, hasMore));
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
			const { resolveException } = await import("../../../service/src/inventory/demand/resolve-exception.ts");
			const resolved = await withStore(async ({ db }) => granted(await resolveException(db, id, note, ORIGIN), HINTS));
			print(snake(resolved), json, () => `Exception ${resolved.exceptionId} of ${resolved.reference} is resolved.`);
		});
	addCommand(
		exceptions,
		"retry",
		"try an exception again, or all of them, with the present stores, SKUs and lots",
		"demand exceptions retry",
	)
		.argument("[id]", "only this exception and the others of its reference", exceptionId)
		.option("--shared", "take missing units from the shared stock too; needs an <id>")
		.action(async (id: number | undefined, { shared = false, json }: RetryOptions, command: Command) => {
			if (shared && id === undefined) command.error("error: --shared needs the id of an exception");
			const { retryExceptions } = await import("../../../service/src/inventory/demand/retry-exceptions.ts");
			const retried = await withStore(async ({ db, executeIn }) =>
				granted(await retryExceptions(db, { drawIn: await executeIn() }, id ?? null, ORIGIN, shared), HINTS),
			);
			print(
				snake(retried),
				json,
				() =>
					`${plural(retried.references, "reference")} tried again: ${plural(retried.drawnUnits, "unit")} drawn down, ${retried.missingUnits} still missing.`,
			);
		});
}

interface RetryOptions extends JsonOption {
	readonly shared?: boolean;
}

/** The command that resolves each kind. */
const HELPS: { readonly [kind in ListedException["kind"]]: string } = {
	unknown_store: "demand store set <store> --brand <code>",
	unknown_sku: "demand exceptions retry",
	no_recipe: "demand exceptions retry",
	shortage: "demand exceptions retry",
};

type Told = ListedException & ReturnType<typeof tellException>;

function describe(exceptions: readonly Told[], hasMore: boolean): string {
	if (exceptions.length === 0) return "No open exceptions.";
	const lines = exceptions.map(
		({ exceptionId: id, reference, kind, createdAt, what, todo }) =>
			`${id}  ${reference}, since ${createdAt.toISOString()}\n    ${what}\n    ${todo} ${quotedCommand(HELPS[kind])}`,
	);
	if (hasMore) lines.push("… and more: raise --limit.");
	return lines.join("\n");
}
