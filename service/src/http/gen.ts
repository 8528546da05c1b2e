import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createApiDates } from "./api-date.ts";
import { openApi, openApiText } from "./openapi/document.ts";
import { PARTNER_OPERATIONS } from "./partner-operations.ts";

/** Writes `openapi/partner/<date>.json` for every accepted date; with `--check`, says which of them are stale and exits 1. */
const FOLDER = path.resolve(import.meta.dirname, "../../../openapi/partner");
const checkOnly = process.argv.includes("--check");
const dates = createApiDates();
await mkdir(FOLDER, { recursive: true });
for (const date of dates.accepted) {
	const file = path.join(FOLDER, `${date.date}.json`);
	const text = openApiText(openApi(PARTNER_OPERATIONS, date, dates));
	const stale = (await readFile(file, "utf8").catch(() => "")) !== text;
	if (stale && checkOnly) {
		console.error(`${path.relative(process.cwd(), file)} is stale: run npm run gen`);
		process.exitCode = 1;
	} else if (stale) {
		await writeFile(file, text);
		console.log(`wrote ${path.relative(process.cwd(), file)}`);
	}
}
