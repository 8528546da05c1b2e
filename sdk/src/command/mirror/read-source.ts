import { readFile } from "node:fs/promises";
import { CommandFailure, EXIT, usage, withCause } from "../failure.ts";

/** Limits of a status address, the same as in a go-live run (guide: going live). */
const WITHIN_MS = 10_000;
const MAX_BYTES = 64 * 1024;

export const isAddress = (source: string): boolean => /^https?:\/\//i.test(source);

/** The text of a file, or what a status address answers. @throws CommandFailure */
export async function readSource(source: string): Promise<string> {
	if (isAddress(source)) return await readAddress(source);
	return await readFile(source, "utf8").catch((error: NodeJS.ErrnoException) => {
		throw usage(`The file ${source} cannot be read (${error.code}).`);
	});
}

async function readAddress(url: string): Promise<string> {
	const unreadable = (why: string): CommandFailure => new CommandFailure(EXIT.different, "unreadable", `${url} ${why}`);
	let response: Response;
	let text: string;
	try {
		const signal = AbortSignal.timeout(WITHIN_MS);
		response = await fetch(url, { redirect: "manual", headers: { accept: "application/json" }, signal });
		text = await response.text();
	} catch (error) {
		throw unreadable(`could not be read: ${withCause(error as Error)}`);
	}
	if (response.status !== 200)
		throw unreadable(`answered ${response.status}; a go-live run expects 200, without a redirect.`);
	const bytes = Buffer.byteLength(text);
	if (bytes > MAX_BYTES) throw unreadable(`answered ${bytes} bytes; a go-live run reads at most ${MAX_BYTES}.`);
	return text;
}
