import type { Command } from "commander";
import type { ImportReport } from "../import/apply-world.ts";
import { addCommand } from "./command.ts";
import { withStore } from "./context.ts";
import { plural, print, table } from "./output.ts";

export function addImport(program: Command): void {
	addCommand(
		program,
		"import <path...>",
		"create and update brands, formulas, products, SKUs, lots, demand, buffers, partners and keys from files; all or nothing, and a second run changes nothing",
		"import world.json --dry-run",
	)
		.option("--dry-run", "show what would change, and change nothing")
		.action(async (paths: string[], options: { dryRun?: true; json?: true }) => {
			const [{ readWorld }, { importWorld }, { ImportRefused }, { createProgress }] = await Promise.all([
				import("../import/read-world.ts"),
				import("../import/import-world.ts"),
				import("../import/refused.ts"),
				import("./progress.ts"),
			]);
			const { world, problems } = await readWorld(paths);
			if (problems.length > 0) throw new ImportRefused(problems);
			const report = await withStore(async ({ db, executeIn, ring }) => {
				const settings = { executeIn: await executeIn(), ring: await ring(), actor: "operator:import" };
				const progress = await createProgress();
				return await importWorld(db, settings, world, { dryRun: options.dryRun ?? false, progress });
			});
			print(report, options.json, () => describe(report));
		});
}

function describe(report: ImportReport): string {
	const kinds = Object.keys(report.created) as (keyof ImportReport["created"])[];
	const rows = kinds.map((kind) => [kind, report.created[kind], report.changed[kind], report.unchanged[kind]] as const);
	const named = rows.filter(([, ...counts]) => counts.some((count) => count > 0));
	const tokens = report.keys.filter(({ token }) => token !== null);
	const lines = [
		table(["", report.dry_run ? "to create" : "created", report.dry_run ? "to change" : "changed", "unchanged"], named),
	];
	if (report.dry_run) lines.push("", "Nothing was changed. Without --dry-run it will be.");
	if (tokens.length > 0) {
		lines.push("", `${plural(tokens.length, "new key")}. Each token is shown only this once: keep it.`);
		for (const { name, partner, token } of tokens) lines.push(`  ${partner} / ${name}: ${token}`);
	}
	return lines.join("\n");
}
