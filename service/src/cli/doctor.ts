import type { Command } from "commander";
import { addCommand, type JsonOption } from "./command.ts";
import { EXIT } from "./context.ts";
import { print } from "./output.ts";

export function addDoctor(program: Command): void {
	addCommand(
		program,
		"doctor",
		"look at everything a start needs and say what to do about what is wrong; exits 1 when something is",
		"doctor",
	).action(async (options: JsonOption) => {
		const { examine } = await import("./examine.ts");
		const findings = await examine();
		const ok = findings.every((finding) => finding.ok);
		print({ ok, findings }, options.json, () =>
			findings
				.map(
					(one) => `${one.ok ? "ok  " : "BAD "} ${one.what}: ${one.found}${one.advice ? `\n     ${one.advice}` : ""}`,
				)
				.join("\n"),
		);
		if (!ok) process.exitCode = EXIT.refused;
	});
}
