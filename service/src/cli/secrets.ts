import type { Command } from "commander";
import { addCommand } from "./command.ts";
import { print } from "./output.ts";

export function addSecrets(program: Command): void {
	const group = program.command("secrets").description("the key ring under which secrets are stored");
	addCommand(group, "generate", "make a key ring; give every node the line it prints", "secrets generate").action(
		async (options: { json?: true }) => {
			const { newKeyRingEntry } = await import("../keys/key-ring.ts");
			const value = newKeyRingEntry();
			print({ variable: "HOLDFAST_SECRET_KEYS", value }, options.json, () => `HOLDFAST_SECRET_KEYS=${value}`);
		},
	);
}
