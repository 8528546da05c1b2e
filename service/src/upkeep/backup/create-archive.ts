import { createHash } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import { pack } from "tar-stream";
import { sleep, wallClock } from "../../ground/lib/clock.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { MANIFEST_DIGEST_ENTRY, MANIFEST_ENTRY, type Manifest } from "./manifest.ts";

const compress = promisify(zstdCompress);

/**
 * Milliseconds without a read from the archive after which the backup is given up: its snapshot keeps the server from
 * removing old row versions.
 */
const STALL_LIMIT_MS = 600_000;
/** Milliseconds to wait for the reason why writing failed. */
const REASON_WITHIN_MS = 1_000;
/** File mode of the archive's entries: readable only by the owner, who may read the database anyway. */
const FILE_MODE = 0o600;

/** Writes an archive entry by entry and collects the content of its manifest. */
export interface Archive {
	/** @throws OperatorError when the archive cannot be written any further */
	add(name: string, bytes: Buffer): Promise<void>;
	/** Compresses rows and adds them. */
	addRows(name: string, rows: Buffer): Promise<void>;
	/** Adds a file whose digest is known. The backup fails if the content has another digest. */
	addFile(name: string, file: { readonly digest: string; readonly size: number }, content: Readable): Promise<void>;
	/** Writes the manifest and ends the archive. `bytes`: its size. */
	finish(counts: Omit<Manifest, "entries">): Promise<{ readonly bytes: number; readonly manifest: Manifest }>;
	/** Aborts the archive. */
	destroy(): void;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export function createArchive(sink: Writable): Archive {
	const tar = pack();
	const entries: Manifest["entries"] = [];
	const mtime = wallClock();
	let written = 0;
	const counted = passing((bytes) => {
		written += bytes.length;
	});
	const piped = pipeline(tar as AsyncIterable<Buffer>, counted, sink);
	const broken = piped.then(
		() => new Promise<never>(() => undefined),
		(cause: Error) => {
			throw new OperatorError(`The backup could not be written: ${cause.message}. Its file was removed.`, { cause });
		},
	);
	broken.catch(() => undefined);
	/** Rejects when the archive's destination fails or has read nothing for STALL_LIMIT_MS. */
	const orBroken = async <T>(work: () => Promise<T>): Promise<T> => {
		const off = new AbortController();
		try {
			return await Promise.race([work(), broken, stalled(off.signal)]);
		} catch (error) {
			// The reason is in the destination's error; the archive's own error says only that it was closed.
			if (!(error instanceof OperatorError)) await Promise.race([broken, sleep(REASON_WITHIN_MS)]);
			throw error;
		} finally {
			off.abort();
		}
	};
	const put = (name: string, bytes: Buffer): Promise<void> =>
		orBroken(
			() =>
				new Promise((resolve, reject) => {
					tar.entry({ name, size: bytes.length, mode: FILE_MODE, mtime }, bytes, (error) =>
						error ? reject(error) : resolve(),
					);
				}),
		);
	const add = async (name: string, bytes: Buffer): Promise<void> => {
		await put(name, bytes);
		entries.push({ name, size: bytes.length, sha256: sha256(bytes) });
	};
	return {
		add,
		addRows: async (name, rows) => add(name, await compress(rows)),
		async addFile(name, { digest, size }, content) {
			const hash = createHash("sha256");
			const entry = tar.entry({ name, size, mode: FILE_MODE, mtime });
			const hashed = passing((bytes) => hash.update(bytes));
			await orBroken(() => pipeline(content, hashed, entry));
			const found = hash.digest("hex");
			if (found !== digest)
				throw new OperatorError(`The stored file ${digest} does not match its digest: it is damaged.`);
			entries.push({ name, size, sha256: digest });
		},
		async finish(counts) {
			const manifest = { ...counts, entries };
			const text = Buffer.from(JSON.stringify(manifest));
			await put(MANIFEST_ENTRY, text);
			await put(MANIFEST_DIGEST_ENTRY, Buffer.from(`${sha256(text)}\n`));
			tar.finalize();
			await orBroken(() => piped);
			return { bytes: written, manifest };
		},
		destroy: () => tar.destroy(),
	};
}

/** A pipeline stage that passes each chunk to `look` and on. */
const passing = (look: (bytes: Buffer) => void) =>
	async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const bytes of source) {
			look(bytes);
			yield bytes;
		}
	};

async function stalled(off: AbortSignal): Promise<never> {
	await sleep(STALL_LIMIT_MS, off);
	if (off.aborted) return new Promise<never>(() => undefined);
	throw new OperatorError(
		`Nothing was read from the backup for ${STALL_LIMIT_MS / 60_000} minutes, so it was stopped: a backup keeps the database from removing old versions of rows.`,
	);
}
