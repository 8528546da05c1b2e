import type { Command } from "commander";
import { callOperator, type DataOfCall } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { plural, print } from "../terminal/output.ts";

interface RestockOptions extends JsonOption {
	readonly partner?: string;
}

export function addSandbox(program: Command): void {
	const group = program.command("sandbox").description("the sandboxes that partners develop against");
	addCommand(
		group,
		"restock",
		"restore the free stock of every partner's test SKUs; holds are not touched (the service does it daily)",
		"sandbox restock",
	)
		.option("--partner <name>", "only the sandbox of this partner")
		.action(async ({ partner, json }: RestockOptions) => {
			if (partner === undefined) return await restockAll(json);
			const restocked = await callOperator("restock_partner_sandbox", { params: { partner_id: partner } });
			print(restocked, json, () => `The test SKUs of ${partner} are restocked: ${unitsOf(restocked)}.`);
		});
}

async function restockAll(json: JsonOption["json"]): Promise<void> {
	const restocked = await callOperator("restock_sandbox");
	print(restocked, json, () => {
		const { sample_certificates } = restocked;
		const samples = sample_certificates > 0 ? ` ${plural(sample_certificates, "sample certificate")} created.` : "";
		return `The test SKUs are restocked: ${unitsOf(restocked)}.${samples}`;
	});
}

const unitsOf = ({ received_units, removed_units }: DataOfCall<"restock_partner_sandbox">): string =>
	`${received_units} units received, ${removed_units} taken off`;
