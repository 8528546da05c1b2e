import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";

/** The pages about error codes, one for each, as they stand in the repository. */
const FOLDER = new URL("../../../../docs/errors/", import.meta.url);
const ADDRESS = /^\/docs\/errors\/(\w+)$/;

/** The code whose page a URL asks for; null: it asks for something else. */
export function errorPageAt(url: string): ErrorCode | null {
	const [, code = ""] = ADDRESS.exec(url.split("?", 1)[0] ?? "") ?? [];
	return Object.hasOwn(ERROR_STATUS, code) ? (code as ErrorCode) : null;
}

/** Shows the page that the `Link` of an error leads to: its text as it is written, which every browser shows. */
export async function showErrorPage(code: ErrorCode, response: ServerResponse): Promise<void> {
	const text = await readFile(new URL(`${code}.md`, FOLDER));
	response.writeHead(200, {
		"Content-Type": "text/plain; charset=utf-8",
		"Content-Length": text.length,
		"Cache-Control": "public, no-cache",
	});
	response.end(text);
}
