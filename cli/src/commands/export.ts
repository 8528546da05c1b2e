import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type Asked, type CallOperator, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { print } from "../terminal/output.ts";

type CsvSection = NonNullable<NonNullable<Asked<"export_section">["params"]>["section"]>;
const CSV_SECTIONS = ["brands", "formulas", "products", "skus", "lots", "demand", "buffers", "partners"] as const;
const SECTIONS: readonly string[] = [...CSV_SECTIONS, "keys"];

export function addExport(program: Command): void {
	addCommand(
		program,
		"export <section_and_folder...>",
		`write a section, or with --all every section, into files of a folder as import reads them; sections: ${SECTIONS.join(", ")}`,
		"export --all backup-2026-12",
	)
		.option("--all", "every section; then give only the folder")
		.action(async (names: string[], { all, json }: { all?: true } & JsonOption, command: Command) => {
			const folder = names.at(-1) ?? "";
			const sections = all ? SECTIONS : names.slice(0, -1);
			const unknown = sections.find((section) => !SECTIONS.includes(section));
			if (names.length !== (all ? 1 : 2) || unknown !== undefined)
				command.error(
					`error: give ${all ? "only the folder after --all" : `a section and a folder; the sections are ${SECTIONS.join(", ")}`}`,
				);
			const files = await withOperator(async (call) => {
				const written: { section: string; file: string }[] = [];
				for (const section of sections) written.push({ section, file: await write(call, section, folder) });
				return written;
			});
			print({ files }, json, () =>
				[
					...files.map(({ file }) => file),
					"",
					`${quotedCommand(`import ${folder}`)} reads them; keys are without tokens.`,
				].join("\n"),
			);
		});
}

/** Writes one section and returns the path of its file. */
async function write(call: CallOperator, section: string, folder: string): Promise<string> {
	const csv = CSV_SECTIONS.find((known) => known === section);
	const file = join(folder, csv === undefined ? "world.json" : `${csv}.csv`);
	const content = csv === undefined ? await keysOf(call) : await csvOf(call, csv);
	await mkdir(folder, { recursive: true });
	try {
		await writeFile(file, content, { flag: "wx" });
	} catch (error) {
		if ((error as { code?: string }).code !== "EEXIST") throw error;
		throw new OperatorError(`${file} already exists: name another folder, or remove the file.`);
	}
	return file;
}

const keysOf = async (call: CallOperator): Promise<string> =>
	`${JSON.stringify(await call("export_keys"), null, "\t")}\n`;

const csvOf = async (call: CallOperator, section: CsvSection): Promise<Buffer> =>
	(await call("export_section", { params: { section } })).bytes;
