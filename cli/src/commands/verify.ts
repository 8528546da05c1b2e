import type { Command } from "commander";
import type { VerifyReport } from "../../../service/src/upkeep/ledger/verify.ts";
import { callToEnd } from "../client/follow-run.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { EXIT } from "../terminal/failure.ts";
import { plural, print } from "../terminal/output.ts";

export function addVerify(program: Command): void {
	addCommand(
		program,
		"verify",
		"recompute every balance from the ledger and check every rule, on a live service; exits 1 naming each difference",
		"verify --json",
	).action(async (options: JsonOption) => {
		const verdict = await callToEnd("verify_ledger", {}, { title: "Checking", withoutRing: true });
		print(verdict, options.json, () => describeVerdict(verdict));
		if (!verdict.ok) process.exitCode = EXIT.refused;
	});
}

/** The report for people. */
export function describeVerdict({ ok, as_of, checked, differences, differences_count }: VerifyReport): string {
	const { lots, moves, holds, parts, keys, skus } = checked;
	const scope = `${plural(lots, "lot")}, ${plural(moves, "move")}, ${plural(holds, "hold")} with ${plural(parts, "part")}, ${plural(keys, "key")}, ${plural(skus, "SKU")}, as of ${as_of}`;
	if (ok) return `Checked ${scope}: 0 differences.`;
	const lines = differences.flatMap(({ rule, meaning, count, examples }) => [
		"",
		`${rule}: ${meaning}. ${plural(count, "difference")}:`,
		...examples.map(({ subject, expected, found }) => `  ${subject}: expected ${expected}, found ${found}`),
		...(count > examples.length ? [`  … and ${count - examples.length} more`] : []),
	]);
	return [`Checked ${scope}: ${plural(differences_count, "difference")}.`, ...lines].join("\n");
}
