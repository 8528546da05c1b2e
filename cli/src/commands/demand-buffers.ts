import type { Command } from "commander";
import { MAX_UNITS } from "../../../service/src/inventory/stock/limits.ts";
import { granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { wholeNumber } from "../terminal/options.ts";
import { plural, print, snake, table } from "../terminal/output.ts";

interface SetOptions extends JsonOption {
	readonly formula: string;
	readonly brand?: string;
	readonly units: number;
}

export function addBuffers(demand: Command): void {
	const group = demand.command("buffer").description("safety buffers: units kept back from being promised");
	addCommand(group, "list", "every safety buffer", "demand buffer list").action(async (options: JsonOption) => {
		const { selectAllBuffers } = await import("../../../service/src/inventory/stock/set-demand-sql.ts");
		const items = await withStore(({ db }) => selectAllBuffers(db));
		print({ items: snake(items) }, options.json, () =>
			items.length === 0
				? "No safety buffers."
				: table(
						["FORMULA", "BRAND", "UNITS"],
						items.map(({ formula, brandCode, units }) => [formula, brandCode ?? "(shared)", units]),
					),
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
			const { setBuffers } = await import("../../../service/src/inventory/stock/set-buffers.ts");
			const { transaction } = await import("../../../service/src/ground/pg/transaction.ts");
			const buffer = { formula, brandCode: brand ?? null, units };
			const changes = await withStore(async ({ db }) =>
				granted(await transaction(db, (tx) => setBuffers(tx, [buffer]))),
			);
			print(snake({ ...buffer, ...changes }), json, () =>
				units === 0 ? "No units are kept back there." : `${plural(units, "unit")} of ${formula} are kept back.`,
			);
		});
}
