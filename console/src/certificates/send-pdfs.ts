import { call, type DataOf } from "../api/call.ts";
import type { NewCertificate } from "./rows.ts";

/** Maximum bytes of the PDFs in one request, unless a single PDF has more: few enough for a slow connection. */
const MAX_SENT_BYTES = 8 * 1024 * 1024;
/** Maximum number of PDFs in one request. */
const MAX_SENT_FILES = 100;

type Stored = Pick<DataOf<"store_certificate_files">["items"][number], "sha256" | "bytes">;
/** What the service has of the PDFs, so that none is sent twice. */
export type StoredPdfs = WeakMap<File, Stored>;

/**
 * Sends the PDFs that the service does not have yet; the service examines each. `note` is told how many it has. @throws
 * CallError
 */
export async function sendPdfs(
	rows: readonly NewCertificate[],
	stored: StoredPdfs,
	note: (sent: number) => void,
): Promise<void> {
	const waiting = rows.filter(({ file }) => !stored.has(file));
	let sent = rows.length - waiting.length;
	note(sent);
	for (const some of inParts(waiting)) {
		const files = some.map(({ file, name }) => new File([file], name, { type: file.type }));
		const { items } = await call("store_certificate_files", { body: {}, files });
		for (const [n, { sha256, bytes }] of items.entries()) {
			const row = some[n];
			if (row !== undefined) stored.set(row.file, { sha256, bytes });
		}
		note((sent += some.length));
	}
}

function inParts(rows: readonly NewCertificate[]): readonly (readonly NewCertificate[])[] {
	const parts: NewCertificate[][] = [];
	let room = 0;
	for (const row of rows) {
		const part = parts.at(-1);
		if (part === undefined || row.file.size > room || part.length === MAX_SENT_FILES) {
			parts.push([row]);
			room = MAX_SENT_BYTES - row.file.size;
			continue;
		}
		part.push(row);
		room -= row.file.size;
	}
	return parts;
}

/** The PDFs as the table of an import names them. */
export const storedOf = (rows: readonly NewCertificate[], stored: StoredPdfs): readonly (Stored & { name: string })[] =>
	rows.flatMap(({ name, file }) => {
		const one = stored.get(file);
		return one === undefined ? [] : [{ name, ...one }];
	});
