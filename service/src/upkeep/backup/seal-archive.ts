import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { damaged } from "./manifest.ts";
import { checkPassphrase, keyOf } from "./seal-key-ring.ts";

/*
 * A backup under a passphrase: the whole archive in chunks, each encrypted by AES-256-GCM under one key of scrypt. The
 * nonce of a chunk has a random prefix, the chunk's number, and whether it is the last one (the STREAM construction):
 * no chunk can be changed, left out, exchanged, repeated or taken from another file, and a truncated file has no last
 * chunk. The file: MAGIC, salt, prefix, the proof of the passphrase (the tag of an empty text), then the chunks.
 */

/** The beginning of every such file. A tar begins with the name of its first entry instead. */
const MAGIC = Buffer.from("holdfast-encrypted-backup-1\n");
const SALT_BYTES = 16;
const PREFIX_BYTES = 7;
const COUNTER_BYTES = 4;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
/** Bytes of a chunk before it is encrypted; every chunk but the last has this size. */
export const CHUNK_BYTES = 64 * 1024;
/**
 * The largest number that a chunk could have: it marks the proof, and no chunk has it. The numbers below it cover 256
 * TiB.
 */
const PROOF = 2 ** (COUNTER_BYTES * 8) - 1;
const HEADER_BYTES = MAGIC.length + SALT_BYTES + PREFIX_BYTES + TAG_BYTES;

/** What all chunks of a file have in common. */
interface Sealing {
	readonly key: Buffer;
	readonly prefix: Buffer;
	/** Authenticated with each chunk. */
	readonly header: Buffer;
}

function nonceOf({ prefix }: Sealing, number: number, isLast: boolean): Buffer {
	const rest = Buffer.alloc(COUNTER_BYTES + 1);
	rest.writeUInt32BE(number);
	rest.writeUInt8(isLast ? 1 : 0, COUNTER_BYTES);
	return Buffer.concat([prefix, rest]);
}

function sealed(sealing: Sealing, number: number, isLast: boolean, bytes: Buffer): Buffer {
	if (number >= PROOF && bytes.length > 0) throw new OperatorError("The backup is too large to be encrypted.");
	const cipher = createCipheriv(CIPHER, sealing.key, nonceOf(sealing, number, isLast)).setAAD(sealing.header);
	return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Null: the bytes are not what was sealed. */
function opened(sealing: Sealing, number: number, isLast: boolean, bytes: Buffer): Buffer | null {
	if (bytes.length < TAG_BYTES) return null;
	const decipher = createDecipheriv(CIPHER, sealing.key, nonceOf(sealing, number, isLast))
		.setAAD(sealing.header)
		.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
	try {
		return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()]);
	} catch {
		return null;
	}
}

type Stage = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

/** A stage of a pipeline that encrypts an archive. @throws OperatorError when the passphrase is too short. */
export async function sealArchive(passphrase: string, derive = keyOf): Promise<Stage> {
	checkPassphrase(passphrase);
	const salt = randomBytes(SALT_BYTES);
	const prefix = randomBytes(PREFIX_BYTES);
	const sealing = { key: await derive(passphrase, salt), prefix, header: Buffer.concat([MAGIC, salt, prefix]) };
	return async function* (source) {
		yield Buffer.concat([sealing.header, sealed(sealing, PROOF, true, Buffer.alloc(0))]);
		let number = 0;
		for await (const { bytes, isLast } of pieces(source, CHUNK_BYTES)) yield sealed(sealing, number++, isLast, bytes);
	};
}

/** Cuts a stream into pieces of a size; the last one may be shorter, and is empty only if the stream is. */
async function* pieces(source: AsyncIterable<Buffer>, size: number) {
	let rest: Buffer = Buffer.alloc(0);
	for await (const more of source) {
		rest = rest.length === 0 ? more : Buffer.concat([rest, more]);
		let at = 0;
		for (; rest.length - at > size; at += size) yield { bytes: rest.subarray(at, at + size), isLast: false };
		rest = rest.subarray(at);
	}
	yield { bytes: rest, isLast: true };
}

/**
 * The archive in a file: decrypted if the file is encrypted, otherwise as it is. Asks for the passphrase only in the
 * first case. @throws OperatorError when the passphrase is wrong; the archive fails where the file was changed
 */
export async function openSealed(
	source: AsyncIterable<Buffer>,
	askPassphrase: () => Promise<string>,
	derive = keyOf,
): Promise<AsyncIterable<Buffer>> {
	const iterator = source[Symbol.asyncIterator]();
	const begun = await takeAtLeast(iterator, HEADER_BYTES);
	const rest = restOf(iterator, begun);
	if (!begun.subarray(0, MAGIC.length).equals(MAGIC)) return rest(0);
	if (begun.length < HEADER_BYTES) throw damaged("its end is missing");
	const header = begun.subarray(0, HEADER_BYTES - TAG_BYTES);
	const salt = header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES);
	const sealing = {
		key: await derive(await askPassphrase(), salt),
		prefix: header.subarray(MAGIC.length + SALT_BYTES),
		header,
	};
	if (opened(sealing, PROOF, true, begun.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES)) === null)
		throw new OperatorError(
			"The backup cannot be decrypted: the passphrase is wrong, or the beginning of the file is damaged. Nothing was changed.",
		);
	return openedChunks(sealing, rest(HEADER_BYTES));
}

async function* openedChunks(sealing: Sealing, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let number = 0;
	for await (const { bytes, isLast } of pieces(source, CHUNK_BYTES + TAG_BYTES)) {
		const chunk = opened(sealing, number, isLast, bytes);
		if (chunk === null)
			throw damaged(
				isLast ? "its end is missing or was changed" : `it was changed within MiB ${mibOf(number)} of the file`,
			);
		number++;
		yield chunk;
	}
}

const CHUNKS_OF_A_MIB = (1024 * 1024) / CHUNK_BYTES;
/** The mebibyte of the file, from 1, in which a chunk lies. */
const mibOf = (number: number): number => Math.floor(number / CHUNKS_OF_A_MIB) + 1;

/** Reads until there are at least this many bytes, or to the end. */
async function takeAtLeast(iterator: AsyncIterator<Buffer>, least: number): Promise<Buffer> {
	let taken: Buffer = Buffer.alloc(0);
	while (taken.length < least) {
		const { value, done } = await iterator.next();
		if (done === true) break;
		taken = Buffer.concat([taken, value]);
	}
	return taken;
}

/** The bytes of the file from an offset on. `begun`: those that have been read already. */
const restOf = (iterator: AsyncIterator<Buffer>, begun: Buffer) =>
	async function* (from: number): AsyncGenerator<Buffer> {
		if (begun.length > from) yield begun.subarray(from);
		yield* { [Symbol.asyncIterator]: () => iterator };
	};
