import { isUtf8 } from "node:buffer";

/** Maximum size of a multipart body, in bytes. */
export const MAX_FORM_BYTES = 32 * 1024 * 1024;
/** Maximum size of the headers of one part, in bytes. */
const MAX_PART_HEADER_BYTES = 4 * 1024;
/** Maximum length of a file's name, in code points. */
const MAX_FILE_NAME = 255;
/** The boundary in a Content-Type, of 1 to 70 characters (RFC 2046, section 5.1.1). */
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i;

/** A file of a multipart body, in memory. */
export interface UploadedFile {
	/** The name that the sender gave it, without folders. */
	readonly name: string;
	readonly bytes: Buffer;
}

/** The parts of a multipart body. */
export interface Form {
	/** The text of the part `data`; null: there is none. */
	readonly data: Buffer | null;
	readonly files: readonly UploadedFile[];
}

/** The boundary that a Content-Type of `multipart/form-data` names; null: it is another type. */
export function boundaryOf(type: string): string | null {
	if (!/^multipart\/form-data *;/i.test(type)) return null;
	const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
	return quoted ?? plain ?? null;
}

/**
 * Reads a multipart body (RFC 7578) whose parts are `data` and at most `most` of `file`. The parts are views of
 * `bytes`: nothing is copied, so that the largest body costs a few milliseconds. The problem is a sentence.
 */
export function readForm(bytes: Buffer, boundary: string, most: number): Form | { readonly problem: string } {
	const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
	const first = delimiter.subarray(2);
	if (!bytes.subarray(0, first.length).equals(first)) return { problem: "The form does not begin with its boundary." };
	let data: Buffer | null = null;
	const files: UploadedFile[] = [];
	for (let at = first.length; ; ) {
		if (isAt(bytes, at, "--")) return { data, files };
		const part = readPart(bytes, at, delimiter);
		if ("problem" in part) return part;
		at = part.next;
		if (part.name === "data" && data === null) data = part.content;
		else if (part.name === "file" && files.length < most) {
			if (part.fileName === null) return { problem: "The form's part `file` is not a file: it has no filename." };
			files.push({ name: part.fileName, bytes: part.content });
		} else return { problem: `The form has other parts than one \`data\` and at most ${most} of \`file\`.` };
	}
}

interface Part {
	readonly name: string;
	/** Null: it is a field. */
	readonly fileName: string | null;
	readonly content: Buffer;
	/** Position of the end of the delimiter after the part. */
	readonly next: number;
}

/** The part after the delimiter that ends at `at`. */
function readPart(bytes: Buffer, at: number, delimiter: Buffer): Part | { readonly problem: string } {
	// white space may follow a boundary, but no client sends any
	if (!isAt(bytes, at, "\r\n")) return { problem: "The form is cut short, or a boundary in it is followed by text." };
	const head = bytes.subarray(at, at + MAX_PART_HEADER_BYTES);
	const headEnd = head.indexOf("\r\n\r\n");
	if (headEnd === -1) return { problem: "The headers of a part of the form do not end, or are larger than 4 KiB." };
	const start = at + headEnd + 4;
	// from the end of the headers on: the line end of an empty part's headers is also that of its delimiter
	const end = bytes.indexOf(delimiter, start - 2);
	if (end === -1) return { problem: "The form is cut short: its last boundary is missing." };
	const named = namesOf(head.subarray(2, headEnd));
	if (named === null) return { problem: "A part of the form has no name, or one that is not UTF-8 or too long." };
	return { ...named, content: bytes.subarray(start, Math.max(start, end)), next: end + delimiter.length };
}

/** The names in the headers of a part; null: there is none, or the header is malformed. */
function namesOf(head: Buffer): Pick<Part, "name" | "fileName"> | null {
	if (!isUtf8(head)) return null;
	const disposition = /^content-disposition: *form-data *;(.*)$/im.exec(head.toString("utf8"))?.[1];
	const name = / *\bname="?(\w+)"?/.exec(disposition?.replace(/\bfilename="[^"]*"/, "") ?? "")?.[1];
	if (disposition === undefined || name === undefined) return null;
	const [, quoted, plain] = /\bfilename=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/.exec(disposition) ?? [];
	const given = quoted ?? plain ?? null;
	if (given === null) return { name, fileName: null };
	const fileName = baseNameOf(given);
	return [...fileName].length > MAX_FILE_NAME || /\p{Cc}/u.test(fileName) ? null : { name, fileName };
}

/**
 * The name without folders. Browsers escape quotation marks and line ends; some clients put a backslash before a
 * quotation mark.
 */
function baseNameOf(given: string): string {
	const unescaped = given.replaceAll('\\"', '"').replace(/%22/g, '"');
	return unescaped.slice(Math.max(unescaped.lastIndexOf("/"), unescaped.lastIndexOf("\\")) + 1);
}

/** Whether these ASCII characters are at this position. */
const isAt = (bytes: Buffer, at: number, text: string): boolean =>
	bytes.toString("latin1", at, at + text.length) === text;
