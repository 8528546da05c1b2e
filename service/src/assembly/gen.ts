import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { documentsOf, OPERATOR_OPERATIONS, SURFACES } from "./surfaces.ts";

/**
 * Writes the OpenAPI documents of every surface below `openapi/`, and the addresses of the operator's API for the
 * command line; with `--check`, lists the stale ones and exits 1.
 */
const ROOT = path.resolve(import.meta.dirname, "../../..");
const PATHS = OPERATOR_OPERATIONS.map(({ id, method, path: at }) => `\t${id}: "${method} ${at}",\n`);
const pathsText = `/** Method and path of each operation of the operator's API, by its id. Written by \`npm run gen\`. */
export const OPERATOR_PATHS = {
${PATHS.join("")}} as const;
`;
const documents = SURFACES.flatMap(documentsOf).map(({ file, text }) => ({ file: path.join("openapi", file), text }));
const checkOnly = process.argv.includes("--check");
for (const { file, text } of [...documents, { file: "cli/src/client/operator-paths.ts", text: pathsText }]) {
	const at = path.join(ROOT, file);
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
