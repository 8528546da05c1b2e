import type { Command } from "commander";

export function addStart(program: Command): void {
	program
		.command("start")
		.description("serve the partner API until a signal stops it (as `npm start` does)")
		.addHelpText("after", "\nExample:\n  $ npm start")
		.action(async () => {
			const { main } = await import("../main.ts");
			await main();
		});
}
