import type { Command } from "commander";
import { withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { plural, print } from "../terminal/output.ts";

export function addSandbox(program: Command): void {
	const group = program.command("sandbox").description("the sandbox that partners build against");
	addCommand(
		group,
		"restock",
		"restore the free stock of the test SKUs; holds are not touched (the service does it daily)",
		"sandbox restock",
	).action(async (options: JsonOption) => {
		const { restockSandbox } = await import("../../../service/src/upkeep/sandbox/restock-sandbox.ts");
		const { putSamples } = await import("../../../service/src/upkeep/sandbox/put-samples.ts");
		const restocked = await withStore(async ({ db, agreed, executeIn, withFiles }) => {
			const { timeZone } = await agreed("HOLDFAST_TIME_ZONE", "HOLDFAST_COA_STORE");
			const stock = await restockSandbox(db, { timeZone, executeIn: await executeIn() });
			return { ...stock, sample_certificates: await withFiles((files) => putSamples(db, files)) };
		});
		print(restocked, options.json, () => {
			const { received_units, removed_units, sample_certificates } = restocked;
			const samples = sample_certificates > 0 ? ` ${plural(sample_certificates, "sample certificate")} made.` : "";
			return `The test SKUs are restocked: ${received_units} units received, ${removed_units} taken off.${samples}`;
		});
	});
}
