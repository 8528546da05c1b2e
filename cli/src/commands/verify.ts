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
	)
		.option("--since-seal", "read only what the last seal does not cover, as a nightly run does (everything)")
		.action(async ({ sinceSeal = false, json }: JsonOption & { readonly sinceSeal?: boolean }) => {
			const asked = sinceSeal ? { query: { since_seal: true } } : {};
			const verdict = await callToEnd("verify_ledger", asked, { title: "Checking", withoutRing: true });
			print(verdict, json, () => describeVerdict(verdict, sinceSeal));
			if (!verdict.ok) process.exitCode = EXIT.refused;
		});
}

/** The report for people. `sinceSeal`: only what the last seal does not cover was asked for. */
export function describeVerdict(report: VerifyReport, sinceSeal = false): string {
	const { ok, as_of, checked, differences, differences_count } = report;
	const { lots, moves, holds, parts, keys, skus } = checked;
	const scope = `${plural(lots, "lot")}, ${plural(moves, "move")}, ${plural(holds, "hold")} with ${plural(parts, "part")}, ${plural(keys, "key")}, ${plural(skus, "SKU")}, as of ${as_of}`;
	if (ok) return [`Checked ${scope}: 0 differences.`, ...describeSeals(report, sinceSeal)].join("\n");
	const lines = differences.flatMap(({ rule, meaning, count, examples }) => [
		"",
		`${rule}: ${meaning}. ${plural(count, "difference")}:`,
		...examples.map(({ subject, expected, found }) => `  ${subject}: expected ${expected}, found ${found}`),
		...(count > examples.length ? [`  … and ${count - examples.length} more`] : []),
	]);
	const found = `Checked ${scope}: ${plural(differences_count, "difference")}.`;
	return [found, ...describeSeals(report, sinceSeal), ...lines].join("\n");
}

/** What the run did not read, and the seal that it left. */
function describeSeals({ since, sealed }: VerifyReport, sinceSeal: boolean): string[] {
	const lines: string[] = [];
	if (since === null && sinceSeal) lines.push("There was no seal to start from, so everything was read.");
	if (since !== null) {
		const { seal, sealed_at, whole_at, assumed_holds } = since;
		lines.push(
			`Not read again: what ended before seal ${seal} of ${sealed_at}. Everything was last read at ${whole_at}.`,
		);
		if (assumed_holds > 0)
			lines.push(
				`${plural(assumed_holds, "hold")} that ended long ago moved again: only a whole run adds up all of their moves.`,
			);
	}
	if (sealed !== null) lines.push(`Seal ${sealed.seal} covers the moves up to ${sealed.moves_upto}: ${sealed.digest}.`);
	return lines;
}
