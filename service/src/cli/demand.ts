import type { Command } from "commander";
import type { World } from "../import/entries.ts";
import { MAX_UNITS } from "../stock/limits.ts";
import { addCommand } from "./command.ts";
import { granted, withStore } from "./context.ts";
import { wholeNumber } from "./options.ts";
import { plural, print } from "./output.ts";

interface AddOptions {
	readonly formula: string;
	readonly brand?: string;
	readonly units: number;
	readonly reference: string;
	readonly json?: true;
}

export function addDemand(program: Command): void {
	const group = program
		.command("demand")
		.description("accepted demand that has no units bound to it yet: it lowers what can be promised");
	addCommand(
		group,
		"add",
		"add demand, or replace the demand under the reference",
		"demand add --formula CALM-60 --brand ACME --units 40 --reference PO-17",
	)
		.requiredOption("--formula <code>", "formula code")
		.option("--brand <code>", "code of the brand whose stock is promised; the shared stock by default")
		.requiredOption("--units <n>", "units", wholeNumber(1, MAX_UNITS))
		.requiredOption("--reference <text>", "reference, for replacing and clearing it")
		.action(async (options: AddOptions) => {
			const [{ setDemand }, { transaction }] = await Promise.all([
				import("../stock/set-demand.ts"),
				import("../pg/transaction.ts"),
			]);
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
	).action(async (file: string, options: { json?: true }) => {
		const [{ readDemand }, { ImportRefused }] = await Promise.all([
			import("../import/read-world.ts"),
			import("../import/refused.ts"),
		]);
		const { world, problems } = await readDemand(file);
		if (problems.length > 0) throw new ImportRefused(problems);
		const report = await importDemand(world);
		print(
			report,
			options.json,
			() => `${report.created} new, ${report.changed} changed, ${report.unchanged} unchanged.`,
		);
	});
	addCommand(group, "clear", "take demand away by its reference", "demand clear --reference PO-17")
		.requiredOption("--reference <text>", "reference of the demand")
		.action(async (options: { reference: string; json?: true }) => {
			const { clearDemand } = await import("../stock/clear-demand.ts");
			const cleared = await withStore(({ db }) => clearDemand(db, options.reference));
			print({ cleared }, options.json, () =>
				cleared === 0
					? `Nothing stands under ${options.reference}.`
					: `${plural(cleared, "entry", "entries")} cleared.`,
			);
		});
}

async function importDemand(world: World) {
	const { importWorld } = await import("../import/import-world.ts");
	const report = await withStore(async ({ db, executeIn, ring }) => {
		const settings = { executeIn: await executeIn(), ring: await ring(), actor: "operator:cli" };
		return await importWorld(db, settings, world);
	});
	return { created: report.created.demand, changed: report.changed.demand, unchanged: report.unchanged.demand };
}
