import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";

/*
 * Builds the console into console/dist, which is committed, so that nothing is built where it is installed; with
 * `--check`, builds it elsewhere, lists the committed files that differ, and exits 1. Part of `npm run gen` and
 * `npm run check`.
 */

const COMMITTED = path.join(import.meta.dirname, "dist");
const folder = await mkdtemp(path.join(tmpdir(), "holdfast-console-"));
try {
	const configFile = path.join(import.meta.dirname, "vite.config.ts");
	await build({ configFile, build: { outDir: folder, emptyOutDir: true } });
	const [built, committed] = [await contentsOf(folder), await contentsOf(COMMITTED).catch(() => new Map())];
	const stale = [...new Set([...built.keys(), ...committed.keys()])].filter(
		(file) => built.get(file) !== committed.get(file),
	);
	if (process.argv.includes("--check")) {
		for (const file of stale) console.error(`console/dist/${file} is stale: run npm run gen`);
		process.exitCode = stale.length === 0 ? 0 : 1;
	} else if (stale.length > 0) {
		await rm(COMMITTED, { recursive: true, force: true });
		await cp(folder, COMMITTED, { recursive: true });
		console.log(`wrote ${stale.length} files of console/dist`);
	}
} finally {
	await rm(folder, { recursive: true, force: true });
}

/** The content of every file below a folder, by its path. */
async function contentsOf(root: string): Promise<Map<string, string>> {
	const entries = await readdir(root, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
	return new Map(
		await Promise.all(files.map(async (file) => [path.relative(root, file), await readFile(file, "latin1")] as const)),
	);
}
