import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { type Extract, extract } from "tar-stream";
import {
	type BackupFacts,
	damaged,
	FACTS_ENTRY,
	FILES_FOLDER,
	JOBS_FOLDER,
	KEY_RING_ENTRY,
	MANIFEST_DIGEST_ENTRY,
	MANIFEST_ENTRY,
	type Manifest,
	parseFacts,
	parseManifest,
	tableOf,
} from "./manifest.ts";

const decompress = promisify(zstdDecompress);

/** Maximum bytes of the facts and of the key ring, which are parsed before the archive is known to be genuine. */
const MAX_FACTS_BYTES = 4 * 1024 * 1024;
const MAX_KEY_RING_BYTES = 1024 * 1024;
const MAX_DIGEST_BYTES = 1024;
/**
 * Maximum bytes, both in the archive and decompressed, of any other entry that is read as a whole. Chunks of rows are
 * written with a size of 4 MiB.
 */
const MAX_ENTRY_BYTES = 64 * 1024 * 1024;
const MAX_ROWS_BYTES = 64 * 1024 * 1024;
/** Objects and arrays in a manifest, in addition to one for each entry. */
const MANIFEST_FRAME = 3;
const [OPEN_BRACKET, OPEN_BRACE] = [0x5b, 0x7b];

type Entry = Extract extends AsyncIterable<infer One> ? One : never;

/**
 * One entry of an archive. Entries below FILES_FOLDER come as streams, which must be read to their end; all others come
 * as a whole.
 */
export type ArchiveEntry =
	| { readonly name: string; readonly bytes: Buffer }
	| { readonly name: string; readonly size: number; readonly content: AsyncIterable<Buffer> };

export interface OpenArchive {
	readonly facts: BackupFacts;
	/** The entries between the facts and the manifest, in order. */
	entries(): AsyncGenerator<ArchiveEntry>;
	/**
	 * Returns the manifest after all entries were read and checked against it. @throws OperatorError when anything
	 * differs
	 */
	finish(): Manifest;
	/** Discards the unread rest. */
	close(): void;
}

/** Opens an archive. @throws OperatorError when it is not an archive, or one of a newer build. */
export async function openArchive(source: Readable): Promise<OpenArchive> {
	const tar = extract();
	let trouble: Error | null = null;
	pipeline(source, tar).catch((error: Error) => {
		trouble = error;
		tar.destroy(error);
	});
	const iterator = tar[Symbol.asyncIterator]();
	const found: Manifest["entries"] = [];
	let manifest: Manifest | null = null;
	let manifestDigest: string | null = null;

	const next = async (): Promise<Entry | null> => {
		try {
			const { value, done } = await iterator.next();
			return done ? null : value;
		} catch (error) {
			throw damaged((trouble ?? (error as Error)).message);
		}
	};
	const takeWhole = async (entry: Entry, most?: number): Promise<{ name: string; bytes: Buffer }> => {
		const bytes = await wholeOf(entry, most);
		const { name } = entry.header;
		found.push({ name, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
		return { name, bytes };
	};

	const readFacts = async (): Promise<BackupFacts> => {
		const first = await next().catch(() => null);
		if (first?.header.name !== FACTS_ENTRY)
			throw damaged(`it does not begin with ${FACTS_ENTRY}, so it is not a backup that holdfast made`);
		return parseFacts((await takeWhole(first, MAX_FACTS_BYTES)).bytes.toString("utf8"));
	};
	const facts = await readFacts().catch((error: unknown) => {
		tar.destroy();
		throw error;
	});
	return {
		facts,
		async *entries() {
			for (let entry = await next(); entry !== null; entry = await next()) {
				const { name, size } = entry.header;
				if (name === MANIFEST_ENTRY) {
					const bytes = await wholeOf(entry);
					// once parsed, an object or array takes many times the space that it takes in the archive
					if (bracketsOf(bytes) > found.length + MANIFEST_FRAME) throw damaged(`${name} is malformed`);
					manifest = parseManifest(bytes.toString("utf8"));
					manifestDigest = createHash("sha256").update(bytes).digest("hex");
				} else if (name === MANIFEST_DIGEST_ENTRY) {
					if ((await wholeOf(entry, MAX_DIGEST_BYTES)).toString("utf8").trim() !== manifestDigest)
						throw damaged("its manifest does not match its digest");
					manifestDigest = "good";
				} else if (name.startsWith(FILES_FOLDER)) {
					const digest = name.slice(FILES_FOLDER.length);
					// the FileKeeper may use the digest as a file name
					if (!/^[0-9a-f]{64}$/.test(digest)) throw damaged(`${name} is not the name of a file`);
					yield { name, size, content: proved(entry as AsyncIterable<Buffer>, digest) };
					found.push({ name, size, sha256: digest });
				} else yield await takeWhole(entry, name === KEY_RING_ENTRY ? MAX_KEY_RING_BYTES : MAX_ENTRY_BYTES);
			}
		},
		finish: () => compared(manifest, manifestDigest === "good", found),
		close: () => tar.destroy(),
	};
}

/** A file's bytes; the stream fails if they do not have the digest. */
async function* proved(content: AsyncIterable<Buffer>, digest: string): AsyncGenerator<Buffer> {
	const hash = createHash("sha256");
	for await (const bytes of content) {
		hash.update(bytes);
		yield bytes;
	}
	if (hash.digest("hex") !== digest) throw damaged(`the file ${digest} does not match its digest`);
}

/** The decompressed rows of a chunk. */
export async function rowsOf(name: string, bytes: Buffer): Promise<Buffer> {
	try {
		return await decompress(bytes, { maxOutputLength: MAX_ROWS_BYTES });
	} catch (error) {
		const isTooLarge = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
		throw damaged(
			isTooLarge
				? `${name} decompresses to more than holdfast writes`
				: `${name} cannot be read: ${(error as Error).message}`,
		);
	}
}

/** The number of opening brackets and braces in a JSON text: an upper bound of its objects and arrays. */
function bracketsOf(bytes: Buffer): number {
	let count = 0;
	for (const byte of bytes) if (byte === OPEN_BRACKET || byte === OPEN_BRACE) count++;
	return count;
}

async function wholeOf(entry: Entry, most = MAX_ENTRY_BYTES): Promise<Buffer> {
	const { name, size } = entry.header;
	if (size > most) throw damaged(`${name} is larger than any that holdfast writes`);
	const parts: Buffer[] = [];
	try {
		for await (const part of entry) parts.push(part as Buffer);
	} catch (error) {
		throw damaged(`it ends within ${name}: ${(error as Error).message}`);
	}
	const bytes = Buffer.concat(parts);
	if (bytes.length !== size) throw damaged(`it ends within ${name}`);
	return bytes;
}

function compared(manifest: Manifest | null, isWhole: boolean, found: Manifest["entries"]): Manifest {
	if (manifest === null || !isWhole) throw damaged("its end is missing");
	for (const [at, wanted] of manifest.entries.entries()) {
		const got = found[at];
		if (got?.name !== wanted.name) throw damaged(`${wanted.name} is missing`);
		if (got.size !== wanted.size || got.sha256 !== wanted.sha256)
			throw damaged(`${wanted.name} does not match the manifest`);
	}
	if (found.length > manifest.entries.length) throw damaged("it has entries that its manifest does not name");
	return manifest;
}

/**
 * Reads an archive to its end, and checks every entry against the manifest and that its rows can be read. `onBytes`
 * gets the bytes of each entry, and its name. @throws OperatorError naming what is damaged
 */
export async function checkArchive(
	source: Readable,
	onBytes: (more: number, entry: string) => void,
): Promise<{ readonly facts: BackupFacts; readonly manifest: Manifest }> {
	const archive = await openArchive(source);
	try {
		for await (const entry of archive.entries()) {
			if ("content" in entry) {
				for await (const bytes of entry.content) onBytes(bytes.length, entry.name);
			} else {
				const { name, bytes } = entry;
				if (tableOf(name) !== null || name.startsWith(JOBS_FOLDER)) await rowsOf(name, bytes);
				onBytes(bytes.length, name);
			}
		}
		return { facts: archive.facts, manifest: archive.finish() };
	} finally {
		archive.close();
	}
}
