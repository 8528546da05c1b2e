import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { documentsOf, SURFACES } from "./surfaces.ts";

/** Writes the OpenAPI documents of every surface below `openapi/`; with `--check`, lists the stale ones and exits 1. */
const ROOT = path.resolve(import.meta.dirname, "../../..");
const checkOnly = process.argv.includes("--check");
for (const { file, text } of SURFACES.flatMap(documentsOf)) {
	const at = path.join(ROOT, "openapi", file);
	const name = path.relative(process.cwd(), at);
	const stale = (await readFile(at, "utf8").catch(() => "")) !== text;
	if (stale && checkOnly) {
		console.error(`${name} is stale: run npm run gen`);
		process.exitCode = 1;
	} else if (stale) {
		await mkdir(path.dirname(at), { recursive: true });
		await writeFile(at, text);
		console.log(`wrote ${name}`);
	}
}
