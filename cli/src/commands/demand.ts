import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { MAX_UNITS } from "../../../service/src/inventory/stock/limits.ts";
import { callOperator, type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { limitOption, wholeNumber } from "../terminal/options.ts";
import { listed, plural, print, tableOf } from "../terminal/output.ts";
import { readSentFile } from "../terminal/sent-file.ts";
import { addBuffers } from "./demand-buffers.ts";
import { addExceptions } from "./demand-exceptions.ts";
import { addStores } from "./demand-stores.ts";

/** Entries shown by default. */
const DEFAULT_LIMIT = 500;

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
	readonly search?: string;
	readonly limit?: number;
}

function addList(group: Command): void {
	addCommand(group, "list", "list promised units, with their source and reference", "demand list --brand ACME")
		.option("--reference <text>", "only demand under this reference")
		.option("--formula <code>", "only demand of this formula")
		.option("--brand <code>", "only demand of this brand")
		.option("--search <text>", "only demand whose reference, source or formula contains this")
		.option(...limitOption(DEFAULT_LIMIT))
		.action(async (options: ListOptions) => {
			const { reference, formula, brand: brand_code, search: q, limit = DEFAULT_LIMIT, json } = options;
			const list = await listItems("list_demand", { reference, formula, brand_code, q }, limit);
			const narrow = "--reference, --formula, --brand or --search";
			print(list, json, () => listed(list, "No demand.", narrow, demandTable));
		});
}

const demandTable = (demand: readonly ItemOf<"list_demand">[]): string =>
	tableOf(demand, {
		SOURCE: ({ source }) => source ?? "operator",
		REFERENCE: "reference",
		FORMULA: "formula",
		BRAND: ({ brand_code: brand }) => brand ?? "(shared)",
		UNITS: "units",
		SINCE: "since",
	});

function addShip(group: Command): void {
	addCommand(
		group,
		"ship",
		"record that the demand under a reference was shipped: its units leave the stock, first expired first out",
		"demand ship --reference PO-17",
	)
		.requiredOption("--reference <text>", "reference of the demand")
		.option("--shared", "use the shared stock too when the brand's own is not enough")
		.option("--reason <text>", "the reason, for the audit log")
		.action(async ({ reference, shared, reason, json }: ShipOptions) => {
			const hints = { not_found: `${quotedCommand("demand list")} shows all demand.` };
			const shipped = await callOperator("ship_demand", { params: { reference }, body: { shared, reason } }, hints);
			print(shipped, json, () => {
				const { drawn_units: drawn, missing_units: missing } = shipped;
				const short =
					missing > 0
						? ` ${plural(missing, "unit")} could not be found: see ${quotedCommand("demand exceptions")}.`
						: "";
				return `${plural(drawn, "unit")} shipped under ${reference}.${short}`;
			});
		});
}

interface ShipOptions extends JsonOption {
	readonly reference: string;
	readonly shared?: boolean;
	readonly reason?: string;
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
			const { formula, brand = null, units, reference } = options;
			const changes = await callOperator("add_demand", { body: { formula, brand_code: brand, units, reference } });
			print(changes, options.json, () => `${plural(units, "unit")} of ${formula} promised under ${reference}.`);
		});
	addCommand(
		group,
		"import <file>",
		"add or replace demand from a CSV file: formula,brand_code,units,reference",
		"demand import open-orders.csv",
	).action(async (file: string, options: JsonOption) => {
		const report = await callOperator("import_demand", { body: {}, files: [await readSentFile(file)] });
		print(
			report,
			options.json,
			() => `${report.created} new, ${report.changed} changed, ${report.unchanged} unchanged.`,
		);
	});
	addCommand(group, "clear", "remove demand by its reference", "demand clear --reference PO-17")
		.requiredOption("--reference <text>", "reference of the demand")
		.action(async (options: { reference: string; json?: true }) => {
			const { cleared } = await callOperator("clear_demand", { params: { reference: options.reference } });
			print({ cleared }, options.json, () =>
				cleared === 0
					? `There is no demand under ${options.reference}.`
					: `${plural(cleared, "entry", "entries")} cleared.`,
			);
		});
}
