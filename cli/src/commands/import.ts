import type { Command } from "commander";
import { hasCluster } from "../../../service/src/ground/embedded/store.ts";
import type { ImportReport } from "../../../service/src/upkeep/import/apply-world.ts";
import { readConfig, withStore } from "../offline/context.ts";
import { addCommand } from "../terminal/command.ts";
import { plural, print, shorten, table } from "../terminal/output.ts";

export function addImport(program: Command): void {
	addCommand(
		program,
		"import <path...>",
		"create and update brands, formulas, products, SKUs, lots, demand, buffers, partners and keys from files; all or nothing, and a second run changes nothing",
		"import world.json --dry-run",
	)
		.option("--dry-run", "show what would change, and change nothing")
		.option("--new-batch", "accept new batch numbers that are nearly those of other batches")
		.action(async (paths: string[], options: { dryRun?: true; newBatch?: true; json?: true }) => {
			const { readWorld } = await import("../../../service/src/upkeep/import/read-world.ts");
			const { importWorld } = await import("../../../service/src/upkeep/import/import-world.ts");
			const { ImportRefused } = await import("../../../service/src/upkeep/import/refused.ts");
			const { createProgress } = await import("../terminal/progress.ts");
			const { world, problems } = await readWorld(paths);
			const { databaseUrl, dataDir } = readConfig();
			// without a database to compare with, only the problems of the files themselves can be reported
			if (problems.length > 0 && databaseUrl === null && !(await hasCluster(dataDir)))
				throw new ImportRefused(problems);
			const dryRun = options.dryRun ?? false;
			const report = await withStore(
				async ({ db, executeIn, ring }) => {
					const newBatches = options.newBatch ?? false;
					const settings = { executeIn: await executeIn(), ring: await ring(), actor: "operator:import", newBatches };
					const progress = await createProgress();
					return await importWorld(db, settings, world, { dryRun, progress, unread: problems });
				},
				{ mayMake: !dryRun && problems.length === 0 },
			);
			print(report, options.json, () => describe(report));
		});
}

/** Most changes that are named; --json has all. */
const MAX_CHANGES = 40;

function describe(report: ImportReport): string {
	const kinds = Object.keys(report.created) as (keyof ImportReport["created"])[];
	const rows = kinds.map((kind) => [kind, report.created[kind], report.changed[kind], report.unchanged[kind]] as const);
	const named = rows.filter(([, ...counts]) => counts.some((count) => count > 0));
	const tokens = report.keys.filter(({ token }) => token !== null);
	const lines = [
		table(["", report.dry_run ? "to create" : "created", report.dry_run ? "to change" : "changed", "unchanged"], named),
		...describeChanges(report.dry_run ? report.changes : report.changes.filter(({ change }) => change === "change")),
	];
	const quarantined = report.lots.filter((lot) => lot.quarantined);
	if (quarantined.length > 0) {
		const { shown, rest } = shorten(quarantined, MAX_CHANGES, "lots");
		const how = report.dry_run ? "would go" : "went";
		lines.push(
			"",
			`Units of ${plural(quarantined.length, "lot")} ${how} into quarantine, because a lot of the batch number is recalled:`,
		);
		lines.push(...shown.map((lot) => `  ${lot.formula} ${lot.brand_code ?? "(shared)"} ${lot.batch_number}`), ...rest);
	}
	if (report.dry_run) lines.push("", "Nothing was changed: this was a dry run.");
	if (tokens.length > 0) {
		lines.push("", `${plural(tokens.length, "new key")}. Each token is shown only this once: keep it.`);
		for (const { name, partner, token } of tokens) lines.push(`  ${partner} / ${name}: ${token}`);
	}
	return lines.join("\n");
}

/**
 * Describes changed entries first, field by field: overlooking a change does more harm than overlooking a new entry.
 */
function describeChanges(changes: ImportReport["changes"]): string[] {
	if (changes.length === 0) return [];
	const { changed = [], created = [] } = Object.groupBy(changes, ({ change }) => `${change}d` as const) as {
		changed?: ImportReport["changes"];
		created?: ImportReport["changes"];
	};
	const rows = [
		...changed.flatMap(({ section, name, fields }) =>
			fields.map(({ field, from, to }) => [section, name, field, valueOf(from), valueOf(to)]),
		),
		...created.flatMap(({ section, name, fields }) =>
			fields.length === 0
				? [[section, name, "", "", "new"]]
				: fields.map(({ field, to }) => [section, name, field, "(new)", valueOf(to)]),
		),
	];
	const { shown, rest } = shorten(rows, MAX_CHANGES, "changes");
	return ["", table(["SECTION", "NAME", "FIELD", "OLD", "NEW"], shown), ...rest];
}

const valueOf = (value: string | number | null): string => (value === null ? "(none)" : String(value));
