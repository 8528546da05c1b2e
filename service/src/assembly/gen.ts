import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { CURRENT_API_DATE } from "../glossary.ts";
import { type ReferenceDocument, readDocument } from "../partners/http/docs/reference-document.ts";
import { collectionsOf } from "./collections.ts";
import { documentsOf, SURFACES } from "./surfaces.ts";

/**
 * Writes the OpenAPI documents of every surface below `openapi/`, and the collections of requests made from those of
 * partners; with `--check`, lists the stale ones and exits 1.
 */
const ROOT = path.resolve(import.meta.dirname, "../../..");
const COLLECTIONS = "fixtures/collections";
const checkOnly = process.argv.includes("--check");

const documents = SURFACES.flatMap(documentsOf);
const current = (surface: string): ReferenceDocument => {
	const found = documents.find(({ file }) => file === `${surface}/${CURRENT_API_DATE}.json`);
	return readDocument(JSON.parse(found?.text ?? ""));
};
const collections = collectionsOf([
	{ document: current("partner"), address: "baseUrl" },
	{ document: current("coa"), address: "coaUrl" },
]);
const files = [
	...documents.map(({ file, text }) => ({ file: `openapi/${file}`, text })),
	...collections.map(({ file, text }) => ({ file: `${COLLECTIONS}/${file}`, text })),
];

for (const { file, text } of files) {
	const at = path.join(ROOT, file);
	const stale = (await readFile(at, "utf8").catch(() => "")) !== text;
	if (stale && checkOnly) {
		console.error(`${file} is stale: run npm run gen`);
		process.exitCode = 1;
	} else if (stale) {
		await mkdir(path.dirname(at), { recursive: true });
		await writeFile(at, text);
		console.log(`wrote ${file}`);
	}
}
