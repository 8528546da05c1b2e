import { basename } from "node:path";
import type { Command } from "commander";
import { readEnv, toConfig } from "../../../service/src/config.ts";
import { hasCluster } from "../../../service/src/ground/embedded/store.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { callToEnd } from "../client/follow-run.ts";
import type { Asked, DataOfCall } from "../client/operator-client.ts";
import { addCommand } from "../terminal/command.ts";
import { CommandRefused } from "../terminal/failure.ts";
import { plural, print, shorten, table } from "../terminal/output.ts";

/** Maximum mebibytes of a request with files (the service refuses more). */
const MAX_MIB = 32;
/** Bytes of a request besides those of its files. */
const ENVELOPE_BYTES = 64 * 1024;

type ImportReport = Exclude<DataOfCall<"import_world">, { readonly run_id: string }>;

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
			const report = await importFiles(paths, { dry_run: options.dryRun, new_batch: options.newBatch });
			print(report, options.json, () => describe(report));
		});
}

type Switches = { readonly dry_run: true | undefined; readonly new_batch: true | undefined };

async function importFiles(paths: readonly string[], switches: Switches): Promise<ImportReport> {
	const { readWorld, takeFiles } = await import("../../../service/src/upkeep/import/read-world.ts");
	const { ImportRefused } = await import("../../../service/src/upkeep/import/refused.ts");
	const { files, problems } = await readWorld(paths);
	// a mistake in the files must not leave a new database behind
	if (problems.length > 0 || (await wouldMakeDatabase())) {
		const wrong = [...problems, ...takeFiles(files).problems];
		if (wrong.length > 0) throw new ImportRefused(wrong);
	}
	const sent = files.map(({ path, content }) => ({ name: basename(path), bytes: new TextEncoder().encode(content) }));
	const bytes = sent.reduce((sum, file) => sum + file.bytes.length, ENVELOPE_BYTES);
	if (bytes > MAX_MIB * 1024 * 1024)
		throw new OperatorError(
			`The files have more than ${MAX_MIB} MiB together, so one import cannot take them: import them one after another, and split larger ones.`,
		);
	const asked: Asked<"import_world"> = { body: switches, files: sent, idempotencyKey: newId() };
	try {
		return await callToEnd("import_world", asked, {
			title: "Importing",
			mayMake: switches.dry_run !== true,
			// the reply of the first request has the tokens of new keys, which a run does not show
			read: async (call) => (await call("import_world", asked)) as ImportReport,
		});
	} catch (error) {
		if (!(error instanceof CommandRefused) || error.problems === undefined) throw error;
		const placed = error.problems.map(({ at, message }) => ({ at: placeOf(at, files), message }));
		throw new CommandRefused(error.code, new ImportRefused(placed).message, placed);
	}
}

/** Names a place in a file by the path that was typed; the service receives only the file's name. */
function placeOf(at: string, files: readonly { readonly path: string }[]): string {
	const named = files.filter(({ path }) => at === basename(path) || at.startsWith(`${basename(path)} `));
	const [only] = named;
	return only === undefined || named.length > 1 ? at : only.path + at.slice(basename(only.path).length);
}

async function wouldMakeDatabase(): Promise<boolean> {
	const { operatorToken, databaseUrl, dataDir } = toConfig(readEnv());
	return operatorToken === null && databaseUrl === null && !(await hasCluster(dataDir));
}

/** Maximum number of changes that are named; --json has all. */
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
	if (report.left_out !== undefined)
		lines.push(
			"",
			`${plural(report.left_out, "entry", "entries")} of the report ${report.left_out === 1 ? "is" : "are"} left out.`,
		);
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
