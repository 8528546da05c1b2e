import type { Command } from "commander";
import { callOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { plural, print } from "../terminal/output.ts";

export function addSandbox(program: Command): void {
	const group = program.command("sandbox").description("the sandbox that partners develop against");
	addCommand(
		group,
		"restock",
		"restore the free stock of the test SKUs; holds are not touched (the service does it daily)",
		"sandbox restock",
	).action(async (options: JsonOption) => {
		const restocked = await callOperator("restock_sandbox");
		print(restocked, options.json, () => {
			const { received_units, removed_units, sample_certificates } = restocked;
			const samples = sample_certificates > 0 ? ` ${plural(sample_certificates, "sample certificate")} created.` : "";
			return `The test SKUs are restocked: ${received_units} units received, ${removed_units} taken off.${samples}`;
		});
	});
}
