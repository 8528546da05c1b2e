import { constants, inflateRawSync } from "node:zlib";

/**
 * Names in a PDF that can run, launch or embed something: JavaScript, programs, attached files, media. `OpenAction` is
 * left out: usually it only sets the first page, and an action that runs something also has one of these names.
 */
const ACTIVE = /\/(JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|ImportData|SubmitForm)(?=[\s/<>()[\]{}%]|$)/;
const STREAM = /\bstream[ \t]*\r?\n/g;
const END_OF_STREAM = "endstream";
const OBJECT = /\d\s+\d+\s+obj\b/;
/** Maximum bytes of the objects in one compressed stream. */
const MAX_OBJECTS_BYTES = 8 * 1024 * 1024;
/** Bytes of the zlib header, which is skipped; PDF readers ignore it and the checksum, too. */
const ZLIB_HEADER_BYTES = 2;

/**
 * Why a PDF is refused as active, as the end of a sentence; null: it does nothing when it is opened. Content streams
 * hold only pictures and text and are skipped. Object streams are read, because they can hide names; if one cannot be
 * read, the PDF is refused.
 */
export function activeInPdf(bytes: Buffer): string | null {
	for (const part of partsOf(bytes.toString("latin1"))) {
		if (part === null) return "has objects that cannot be read: print it to a new PDF";
		const [, name] = ACTIVE.exec(plainNames(part)) ?? [];
		if (name !== undefined) return `has active content (/${name}): print it to a new PDF`;
	}
	return null;
}

/** The text between streams, and the objects inside object streams; null for objects that cannot be read. */
function* partsOf(text: string): Generator<string | null> {
	let from = 0;
	STREAM.lastIndex = 0;
	for (let stream = STREAM.exec(text); stream !== null; stream = STREAM.exec(text)) {
		const begin = stream.index + stream[0].length;
		const end = text.indexOf(END_OF_STREAM, begin);
		if (end < 0) break;
		const between = text.slice(from, stream.index);
		yield between;
		const body = text.slice(begin, end);
		if (/\/Type\s*\/ObjStm/.test(plainNames(between))) yield objectsIn(plainNames(between), body);
		// a comment or a string may fake the start of a stream, to hide the objects that follow
		else if (OBJECT.test(body)) yield body;
		from = end + END_OF_STREAM.length;
		STREAM.lastIndex = from;
	}
	yield text.slice(from);
}

/** A name may encode its letters: `/J#53` is `/JS`. */
const plainNames = (text: string): string =>
	text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The objects of an object stream; null: unreadable. `before` is the text that precedes the stream. */
function objectsIn(before: string, body: string): string | null {
	const filters = before.match(/\/\w+Decode\b/g) ?? [];
	if (filters.length === 0) return body;
	if (filters.some((filter) => filter !== "/FlateDecode") || /\/(Predictor|Crypt)\b/.test(before)) return null;
	try {
		const packed = Buffer.from(body, "latin1").subarray(ZLIB_HEADER_BYTES);
		const limits = { maxOutputLength: MAX_OBJECTS_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
		return inflateRawSync(packed, limits).toString("latin1");
	} catch {
		return null;
	}
}
