import { inflateSync } from "node:zlib";

/**
 * Names in a PDF that run, start or carry something: JavaScript, programs, files inside, films. `OpenAction` is not among
 * them: most name the page at which a reader begins, and those that run something have one of these beside them.
 */
const ACTIVE = /\/(JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|ImportData|SubmitForm)(?=[\s/<>()[\]{}%]|$)/;
const STREAM = /\bstream\r?\n/g;
const END_OF_STREAM = "endstream";
/** Characters before a stream in which its dictionary is looked for. */
const DICTIONARY_LENGTH = 2_000;
/** Bytes of objects in one compressed stream at most. */
const MAX_OBJECTS_BYTES = 8 * 1024 * 1024;

/**
 * What a PDF would do when it is opened, as the name in it; null: nothing. Contents of streams are pictures and text,
 * and are left out; only streams of objects are read, for they hide names.
 */
export function activeInPdf(bytes: Buffer): string | null {
	const text = bytes.toString("latin1");
	for (const part of partsOf(text)) {
		const [, name] = ACTIVE.exec(plainNames(part)) ?? [];
		if (name !== undefined) return name;
	}
	return null;
}

/** What stands between the streams, and the objects in them. */
function* partsOf(text: string): Generator<string> {
	let from = 0;
	STREAM.lastIndex = 0;
	for (let stream = STREAM.exec(text); stream !== null; stream = STREAM.exec(text)) {
		const begin = stream.index + stream[0].length;
		const end = text.indexOf(END_OF_STREAM, begin);
		if (end < 0) break;
		const between = text.slice(from, stream.index);
		yield between;
		yield objectsIn(between.slice(-DICTIONARY_LENGTH), text.slice(begin, end));
		from = end + END_OF_STREAM.length;
		STREAM.lastIndex = from;
	}
	yield text.slice(from);
}

/** A name may spell its letters by their codes: `/J#53` is `/JS`. */
const plainNames = (text: string): string =>
	text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The objects of a stream of objects, inflated; empty: it is another stream, or one that no reader can open. */
function objectsIn(head: string, body: string): string {
	const dictionary = plainNames(head.slice(head.lastIndexOf("obj") + 3));
	if (!/\/Type\s*\/ObjStm/.test(dictionary)) return "";
	if (!dictionary.includes("FlateDecode")) return body;
	try {
		return inflateSync(Buffer.from(body, "latin1"), { maxOutputLength: MAX_OBJECTS_BYTES }).toString("latin1");
	} catch {
		return "";
	}
}
