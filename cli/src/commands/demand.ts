import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { ListedDemand } from "../../../service/src/inventory/demand/list-demand-sql.ts";
import { MAX_UNITS } from "../../../service/src/inventory/stock/limits.ts";
import type { World } from "../../../service/src/upkeep/import/entries.ts";
import { brandOf, granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { limitOption, wholeNumber } from "../terminal/options.ts";
import { plural, print, snake, table } from "../terminal/output.ts";
import { addBuffers } from "./demand-buffers.ts";
import { addExceptions } from "./demand-exceptions.ts";
import { addStores } from "./demand-stores.ts";

/** Entries shown by default. */
const DEFAULT_LIMIT = 500;
const ORIGIN = { actor: "operator:cli", requestId: null } as const;

interface AddOptions extends JsonOption {
	readonly formula: string;
	readonly brand?: string;
	readonly units: number;
	readonly reference: string;
}

export function addDemand(program: Command): void {
	const group = program
		.command("demand")
		.description("demand that was accepted elsewhere, without units bound to it: it lowers what can be promised");
	addList(group);
	addEntering(group);
	addShip(group);
	addExceptions(group);
	addStores(group);
	addBuffers(group);
}

interface ListOptions extends JsonOption {
	readonly reference?: string;
	readonly formula?: string;
	readonly brand?: string;
	readonly limit?: number;
}

function addList(group: Command): void {
	addCommand(group, "list", "list promised units, with their source and reference", "demand list --brand ACME")
		.option("--reference <text>", "only demand under this reference")
		.option("--formula <code>", "only demand of this formula")
		.option("--brand <code>", "only demand of this brand")
		.option(...limitOption(DEFAULT_LIMIT))
		.action(async (options: ListOptions) => {
			const { listDemand } = await import("../../../service/src/inventory/demand/list-demand-sql.ts");
			const { reference = null, formula = null, limit = DEFAULT_LIMIT, json } = options;
			const list = await withStore(async ({ db }) => {
				const brand = await brandOf(db, options.brand);
				return await listDemand(db, { reference, formula, brand }, limit);
			});
			print(snake(list), json, () => demandTable(list.items, list.hasMore));
		});
}

function demandTable(items: readonly ListedDemand[], hasMore: boolean): string {
	if (items.length === 0) return "No demand.";
	const rows = items.map(({ source, reference, formula, brandCode, units, since }) => [
		source ?? "operator",
		reference,
		formula,
		brandCode ?? "(shared)",
		units,
		since.toISOString(),
	]);
	const shown = table(["SOURCE", "REFERENCE", "FORMULA", "BRAND", "UNITS", "SINCE"], rows);
	return hasMore ? `${shown}\n… and more: narrow it with --reference, --formula or --brand, or raise --limit.` : shown;
}

function addShip(group: Command): void {
	addCommand(
		group,
		"ship",
		"record that the demand under a reference was shipped: its units leave the stock, first expired first out",
		"demand ship --reference PO-17",
	)
		.requiredOption("--reference <text>", "reference of the demand")
		.option("--shared", "use the shared stock too when the brand's own is not enough")
		.action(async ({ reference, shared = false, json }: { reference: string; shared?: boolean; json?: true }) => {
			const { shipDemand } = await import("../../../service/src/inventory/demand/ship-demand.ts");
			const hints = { not_found: `${quotedCommand("demand list")} shows all demand.` };
			const shipped = await withStore(async ({ db, executeIn }) =>
				granted(await shipDemand(db, { drawIn: await executeIn() }, { reference, shared }, ORIGIN), hints),
			);
			print(snake(shipped), json, () => {
				const short =
					shipped.missingUnits > 0
						? ` ${plural(shipped.missingUnits, "unit")} could not be found: see ${quotedCommand("demand exceptions")}.`
						: "";
				return `${plural(shipped.drawnUnits, "unit")} shipped under ${reference}.${short}`;
			});
		});
}

/** Adds the commands for demand entered by the operator. */
function addEntering(group: Command): void {
	addCommand(
		group,
		"add",
		"add demand, or replace the demand under the reference",
		"demand add --formula CALM-60 --brand ACME --units 40 --reference PO-17",
	)
		.requiredOption("--formula <code>", "formula code")
		.option("--brand <code>", "code of the brand whose stock is promised; the shared stock by default")
		.requiredOption("--units <n>", "units", wholeNumber(1, MAX_UNITS))
		.requiredOption("--reference <text>", "reference under which this demand can be replaced or cleared later")
		.action(async (options: AddOptions) => {
			const { setDemand } = await import("../../../service/src/inventory/stock/set-demand.ts");
			const { transaction } = await import("../../../service/src/ground/pg/transaction.ts");
			const { formula, brand = null, units, reference } = options;
			const entry = { formula, brandCode: brand, units, reference };
			const changes = await withStore(async ({ db }) => granted(await transaction(db, (tx) => setDemand(tx, [entry]))));
			print(changes, options.json, () => `${plural(units, "unit")} of ${formula} promised under ${reference}.`);
		});
	addCommand(
		group,
		"import <file>",
		"add or replace demand from a CSV file: formula,brand_code,units,reference",
		"demand import open-orders.csv",
	).action(async (file: string, options: JsonOption) => {
		const { readDemand } = await import("../../../service/src/upkeep/import/read-world.ts");
		const { ImportRefused } = await import("../../../service/src/upkeep/import/refused.ts");
		const { world, problems } = await readDemand(file);
		if (problems.length > 0) throw new ImportRefused(problems);
		const report = await importDemand(world);
		print(
			report,
			options.json,
			() => `${report.created} new, ${report.changed} changed, ${report.unchanged} unchanged.`,
		);
	});
	addCommand(group, "clear", "remove demand by its reference", "demand clear --reference PO-17")
		.requiredOption("--reference <text>", "reference of the demand")
		.action(async (options: { reference: string; json?: true }) => {
			const { clearDemand } = await import("../../../service/src/inventory/stock/set-demand.ts");
			const cleared = await withStore(({ db }) => clearDemand(db, options.reference));
			print({ cleared }, options.json, () =>
				cleared === 0
					? `There is no demand under ${options.reference}.`
					: `${plural(cleared, "entry", "entries")} cleared.`,
			);
		});
}

async function importDemand(world: World) {
	const { importWorld } = await import("../../../service/src/upkeep/import/import-world.ts");
	const report = await withStore(async ({ db, executeIn, ring }) => {
		const settings = { executeIn: await executeIn(), ring: await ring(), actor: "operator:cli" };
		return await importWorld(db, settings, world);
	});
	return { created: report.created.demand, changed: report.changed.demand, unchanged: report.unchanged.demand };
}
