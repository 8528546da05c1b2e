import { withoutSecrets } from "../../ground/lib/mask-secrets.ts";
import { MAX_TEXT } from "./limits.ts";

/** Maximum number of remembered texts, and their maximum length. */
const MOST_REMEMBERED = 5_000;
const MAX_REMEMBERED = 200;

/** A text as a JSON string without secrets, cut at `most` characters. */
export function jsonText(text: string, most: number = MAX_TEXT): string {
	const cut = text.length <= most ? text : `${text.slice(0, most)}…`;
	return JSON.stringify(storable(withoutSecrets(cut)));
}

const remembered = new Map<string, string>();

/** The same for texts that most requests repeat, such as a path or the name of a program: these are remembered. */
export function usualText(text: string, most: number = MAX_TEXT): string {
	const known = remembered.get(text);
	if (known !== undefined) return known;
	const json = jsonText(text, most);
	if (text.length > MAX_REMEMBERED) return json;
	if (remembered.size >= MOST_REMEMBERED) remembered.clear();
	remembered.set(text, json);
	return json;
}

/** A body as a JSON string without secrets, cut at `most` bytes. */
export function bodyText(body: string | Buffer, most: number): string {
	const text = typeof body === "string" ? cutBytes(body, most) : body.toString("utf8", 0, most);
	const kept = withoutSecrets(text);
	return JSON.stringify(storable(text.length < body.length && Buffer.byteLength(text) >= most - 3 ? `${kept}…` : kept));
}

/** Cuts by characters first, which are never more than the bytes, and then by bytes if there are still too many. */
function cutBytes(text: string, most: number): string {
	const short = text.slice(0, most);
	return Buffer.byteLength(short) <= most ? short : Buffer.from(short).subarray(0, most).toString("utf8");
}

/** PostgreSQL can store neither NUL nor half a surrogate pair: they are replaced by the symbols that stand for them. */
const storable = (text: string): string =>
	(text.includes("\0") ? text.replaceAll("\0", "\u2400") : text).toWellFormed();
