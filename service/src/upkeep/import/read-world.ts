import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { flatMapPaced, inOneGo, type Paced } from "../../ground/lib/paced.ts";
import { CSV_KINDS, type CsvKind, takeCsv } from "./csv.ts";
import { type EntryKind, emptyWorld, KINDS, type Problem, type World } from "./entries.ts";
import { takeRow } from "./world.ts";

/** The largest file that is read, in bytes. A JavaScript string cannot hold much more. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** The text of a file, and the path by which it was found. */
export interface ReadFile {
	readonly path: string;
	readonly content: string;
}

/** Reads the files of one world: JSON, CSV named after its section (`skus.csv`), or folders of such files. */
export async function readWorld(paths: readonly string[]): Promise<{ files: ReadFile[]; problems: Problem[] }> {
	const files: ReadFile[] = [];
	const problems: Problem[] = [];
	for (const given of paths) {
		for (const path of await filesOf(given, problems)) {
			const content = await contentOf(path, problems);
			if (content !== null) files.push({ path, content });
		}
	}
	return { files, problems };
}

/** The world that these files describe together. */
export function takeFiles(files: readonly ReadFile[]): { world: World; problems: Problem[] } {
	const world = emptyWorld();
	const problems: Problem[] = [];
	for (const { path, content } of files) addAll(problems, inOneGo(takeFile(world, path, content)));
	return { world, problems };
}

/** One by one: a call takes at most about 100,000 arguments, and every row of a file may be wrong. */
function addAll(problems: Problem[], more: readonly Problem[]): void {
	for (const problem of more) problems.push(problem);
}

async function filesOf(path: string, problems: Problem[]): Promise<string[]> {
	const found = await stat(path).catch(() => null);
	if (!found) {
		problems.push({
			at: path,
			message: "cannot be found: give the path of a JSON file, of CSV files or of their folder",
			unread: { section: null },
		});
		return [];
	}
	if (!found.isDirectory()) return [path];
	const names = (await readdir(path)).toSorted();
	const known = names.filter((name) => name === "world.json" || csvKindOf(name) !== undefined);
	// if a file were skipped for its name, nobody would notice until its stock was missing
	const misnamed = names.filter((name) => !known.includes(name) && /\.(csv|json|tsv)$/i.test(name));
	for (const name of misnamed)
		problems.push({ at: join(path, name), message: misnamedFile(name), unread: { section: null } });
	if (known.length === 0 && misnamed.length === 0) {
		problems.push({
			at: path,
			message: `contains none of ${KNOWN_FILES}`,
			unread: { section: null },
		});
	}
	return known.map((name) => join(path, name));
}

const KNOWN_FILES = ["world.json", ...CSV_KINDS.map((kind) => `${kind}.csv`)].join(", ");

function misnamedFile(name: string): string {
	if (/^keys\./i.test(name))
		return "keys come from world.json only: put them there, and take this file out of the folder";
	return `is not read: a folder may contain ${KNOWN_FILES}; rename it, or take it out of the folder`;
}

const csvKindOf = (path: string): CsvKind | undefined =>
	CSV_KINDS.find((kind) => basename(path).toLowerCase() === `${kind}.csv`);

/** The text of a file, or null and a problem. */
export async function contentOf(file: string, problems: Problem[]): Promise<string | null> {
	const say = (message: string): null => {
		problems.push({ at: file, message, unread: { section: csvKindOf(file) ?? null } });
		return null;
	};
	const found = await stat(file).catch(() => null);
	if (!found) return say("cannot be found");
	if (found.size > MAX_FILE_BYTES)
		return say(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB: split it into several files`);
	let bytes: Buffer;
	try {
		bytes = await readFile(file);
	} catch (error) {
		return say(`cannot be read: ${(error as Error).message}`);
	}
	return isUtf8(bytes) ? bytes.toString("utf8") : say(NOT_UTF8);
}

const NOT_UTF8 = "is not UTF-8: save it in that encoding";
export const notUtf8 = (file: string): Problem => ({
	at: file,
	message: NOT_UTF8,
	unread: { section: csvKindOf(file) ?? null },
});

/** Reads a file into the world, by its name as JSON or as the CSV of a section. */
export function* takeFile(world: World, file: string, content: string): Paced<Problem[]> {
	if (extname(file).toLowerCase() !== ".csv") return yield* takeText(world, file, content);
	const kind = csvKindOf(file);
	if (kind) return yield* takeCsv(world, kind, file, content);
	const message = `is not a known name: call it ${CSV_KINDS.map((known) => `${known}.csv`).join(", ")}`;
	return [{ at: file, message, unread: { section: null } }];
}

/** Reads a world.json into the world. Problems name the JSON pointer. */
export const takeJson = (world: World, file: string, content: string): Problem[] =>
	inOneGo(takeText(world, file, content));

function* takeText(world: World, file: string, content: string): Paced<Problem[]> {
	let parsed: unknown;
	try {
		parsed = JSON.parse(content.replace(/^\uFEFF/, ""));
	} catch (error) {
		return [{ at: file, message: `is not JSON: ${(error as Error).message}`, unread: { section: null } }];
	}
	if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
		return [
			{ at: file, message: `must be one JSON object with any of ${KINDS.join(", ")}`, unread: { section: null } },
		];
	}
	return yield* takeSections(world, file, parsed);
}

/** The same for JSON that was parsed. */
export function* takeSections(world: World, file: string, sections: object): Paced<Problem[]> {
	const problems: Problem[] = [];
	for (const [section, rows] of Object.entries(sections)) {
		const kind = KINDS.find((known) => known === section);
		const at = `${file} /${section}`;
		if (!kind)
			problems.push({
				at,
				message: `is not a known section: the sections are ${KINDS.join(", ")}`,
				unread: { section: null },
			});
		else if (!Array.isArray(rows)) problems.push({ at, message: "must be a list", unread: { section: kind } });
		else addAll(problems, yield* takeSection(world, kind, file, rows));
	}
	return problems;
}

const takeSection = (world: World, kind: EntryKind, file: string, rows: readonly unknown[]): Paced<Problem[]> =>
	flatMapPaced(rows, (row, i) => takeRow(world, kind, row, { file, spot: `/${kind}/${i}` }));
