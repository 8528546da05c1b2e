import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Bug } from "./bug.ts";
import { BUGS } from "./bugs.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
export const SERVICE = path.join(ROOT, "service");
/** The parts of the service and of its command line that are copied. */
const PARTS = ["service/src", "service/migrations", "service/package.json", "cli/src", "cli/bin", "cli/package.json"];
/** Files outside their folders that the service and its command line read. */
const BESIDE = ["node_modules", "console", "openapi", "docs", "fixtures", "CHANGELOG.md"];

export function bugNamed(name: string): Bug {
	const bug = BUGS.find((known) => known.name === name);
	if (!bug) throw new Error(`there is no bug "${name}"; there are ${BUGS.map((known) => known.name).join(", ")}`);
	return bug;
}

/** Copies the service into a new folder and plants the bug there. Returns the copy's folder. */
export async function plant(bug: Bug, folder: string): Promise<string> {
	const copy = path.join(folder, "service");
	await mkdir(folder, { recursive: true });
	for (const part of PARTS) {
		await cp(path.join(ROOT, part), path.join(folder, part), {
			recursive: true,
			filter: (file) => !file.endsWith(".test.ts"),
		});
	}
	for (const name of BESIDE) await symlink(path.join(ROOT, name), path.join(folder, name));
	for (const edit of bug.edits) {
		const file = path.join(copy, edit.file);
		await writeFile(file, edited(await readFile(file, "utf8"), edit, bug.name));
	}
	return copy;
}

/**
 * The text with the edit applied. Throws unless the text to find occurs exactly once: any other number means that the
 * code has changed and the bug must be updated too.
 */
export function edited(text: string, { file, find, replace }: Bug["edits"][number], bug: string): string {
	const times = text.split(find).length - 1;
	if (times !== 1) {
		throw new Error(
			`bug "${bug}": the text that it replaces occurs ${times} times in service/${file}, not once. The code has changed: update the bug in lab/src. The text: ${find}`,
		);
	}
	return text.replace(find, () => replace);
}
