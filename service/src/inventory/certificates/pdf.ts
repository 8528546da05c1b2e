import { activeInPdf } from "./active-pdf.ts";
import { MAX_PDF_BYTES } from "./limits.ts";

/** The last line of a PDF must lie within this many bytes of its end. */
const TAIL_BYTES = 1_024;
/** The directory of a ZIP archive can start up to this many bytes before the end. */
const ZIP_TAIL_BYTES = 65_557;
const ZIP_COMMENT_LENGTH_AT = 20;
const ZIP_DIRECTORY_BYTES = 22;
/** The byte offsets at which other formats have their signatures. */
const TAR_NAME_AT = 257;
const ISO_NAME_AT = 0x8001;
/** Leading bytes that content sniffers search for HTML. */
const SNIFFED_BYTES = 1_500;

/**
 * Why these bytes are not accepted as a PDF, as the end of a sentence; null: accepted. A PDF must begin and end as one
 * and have its cross-reference table at the place that it states. A file that is also valid in another format is
 * refused, because that never happens by accident.
 */
export function wrongInPdf(bytes: Buffer): string | null {
	if (bytes.length === 0) return "is empty";
	if (bytes.length > MAX_PDF_BYTES) return `is larger than ${MAX_PDF_BYTES / 1024 / 1024} MiB`;
	if (!/^%PDF-(1\.[0-7]|2\.0)[\r\n\s]/.test(bytes.toString("latin1", 0, 9)))
		return "is not a PDF: it does not begin as one";
	const tail = bytes.toString("latin1", Math.max(0, bytes.length - TAIL_BYTES));
	const [, offset] = /startxref[\r\n\s]+(\d{1,10})[\r\n\s]+%%EOF[\r\n\s]*$/.exec(tail) ?? [];
	if (offset === undefined) return "is not a complete PDF: it does not end as one";
	const at = bytes.toString("latin1", Number(offset), Number(offset) + 40);
	if (!/^\s*(xref[\r\n\s]|\d+\s+\d+\s+obj)/.test(at))
		return "is not a complete PDF: its table of objects is not where it should be";
	const other = otherFormat(bytes);
	if (other !== null) return `is a PDF and ${other} at the same time`;
	return activeInPdf(bytes);
}

/** The other format in which a program could read these bytes, or null. */
function otherFormat(bytes: Buffer): string | null {
	if (isZip(bytes)) return "a ZIP archive";
	if (bytes.toString("latin1", TAR_NAME_AT, TAR_NAME_AT + 5) === "ustar") return "a TAR archive";
	if (bytes.toString("latin1", ISO_NAME_AT, ISO_NAME_AT + 5) === "CD001") return "a disk image";
	if (bytes.includes("7z\xbc\xaf\x27\x1c", 0, "latin1")) return "a 7z archive";
	if (bytes.includes("Rar!\x1a\x07", 0, "latin1")) return "a RAR archive";
	if (bytes.includes("<?php", 0, "latin1")) return "a PHP program";
	const start = bytes.toString("latin1", 0, SNIFFED_BYTES).toLowerCase();
	return /<(!doctype html|html|head|body|script|iframe|svg)[\s>]/.test(start) ? "a page of HTML" : null;
}

/** A ZIP directory ends the file, except for a comment, whose length is in the directory. */
function isZip(bytes: Buffer): boolean {
	const from = Math.max(0, bytes.length - ZIP_TAIL_BYTES);
	for (
		let at = bytes.indexOf("PK\x05\x06", from, "latin1");
		at >= 0;
		at = bytes.indexOf("PK\x05\x06", at + 1, "latin1")
	) {
		if (at + ZIP_DIRECTORY_BYTES > bytes.length) return false;
		const comment = bytes.readUInt16LE(at + ZIP_COMMENT_LENGTH_AT);
		if (at + ZIP_DIRECTORY_BYTES + comment <= bytes.length) return true;
	}
	return false;
}
