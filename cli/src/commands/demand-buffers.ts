import type { Command } from "commander";
import { MAX_UNITS } from "../../../service/src/inventory/stock/limits.ts";
import { callOperator, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { wholeNumber } from "../terminal/options.ts";
import { plural, print, tableOf } from "../terminal/output.ts";

interface SetOptions extends JsonOption {
	readonly formula: string;
	readonly brand?: string;
	readonly units: number;
}

export function addBuffers(demand: Command): void {
	const group = demand.command("buffer").description("safety buffers: units kept back from being promised");
	addCommand(group, "list", "every safety buffer", "demand buffer list").action(async (options: JsonOption) => {
		const list = await listItems("list_buffers", {});
		print(list, options.json, () =>
			list.items.length === 0
				? "No safety buffers."
				: tableOf(list.items, { FORMULA: "formula", BRAND: (one) => one.brand_code ?? "(shared)", UNITS: "units" }),
		);
	});
	addCommand(
		group,
		"set",
		"set how many units of a formula are kept back; 0 ends the buffer",
		"demand buffer set --formula CALM-60 --brand ACME --units 20",
	)
		.requiredOption("--formula <code>", "formula")
		.option("--brand <code>", "brand; without it the shared stock")
		.requiredOption("--units <n>", "units", wholeNumber(0, MAX_UNITS))
		.action(async ({ formula, brand, units, json }: SetOptions) => {
			const buffer = await callOperator("put_buffer", { body: { formula, brand_code: brand ?? null, units } });
			print(buffer, json, () =>
				units === 0 ? `No units of ${formula} are kept back.` : `${plural(units, "unit")} of ${formula} are kept back.`,
			);
		});
}
