import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { sizeOr } from "../../../test/sizes.ts";
import { CHUNK_BYTES, openSealed, sealArchive } from "./seal-archive.ts";
import { keyOf } from "./seal-key-ring.ts";

const PASSPHRASE = "correct horse battery";
/** Bytes before the first chunk, and of a chunk. */
const HEADER = 28 + 16 + 7 + 16;
const SEALED_CHUNK = CHUNK_BYTES + 16;

async function* inParts(bytes: Buffer, part: number): AsyncGenerator<Buffer> {
	for (let at = 0; at < bytes.length; at += part) yield bytes.subarray(at, at + part);
}
async function whole(source: AsyncIterable<Buffer>): Promise<Buffer> {
	const parts: Buffer[] = [];
	for await (const part of source) parts.push(part);
	return Buffer.concat(parts);
}
/**
 * A key that depends on the passphrase and the salt, as the real one does, but is not made to take long to derive: a
 * hundred files are opened here.
 */
const derive = async (passphrase: string, salt: Buffer): Promise<Buffer> =>
	createHmac("sha256", salt).update(passphrase).digest();
const seal = async (bytes: Buffer, part = 10_000): Promise<Buffer> =>
	await whole((await sealArchive(PASSPHRASE, derive))(inParts(bytes, part)));
const open = async (bytes: Buffer, passphrase = PASSPHRASE, part = 7_777): Promise<Buffer> =>
	await whole(await openSealed(inParts(bytes, part), async () => passphrase, derive));

let archive: Buffer;
let file: Buffer;
beforeAll(async () => {
	archive = randomBytes(3 * CHUNK_BYTES + 100);
	file = await seal(archive);
});

describe("An encrypted backup", () => {
	it.for([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])(
		"of %i bytes is decrypted to the same, however it arrives",
		async (length) => {
			const bytes = randomBytes(length);
			for (const part of [1_000, 100_000]) {
				const encrypted = await seal(bytes, part);
				expect(encrypted.length).toBe(HEADER + length + Math.max(1, Math.ceil(length / CHUNK_BYTES)) * 16);
				expect((await open(encrypted, PASSPHRASE, part)).equals(bytes)).toBe(true);
			}
		},
	);

	it("has nothing of what is in it, and is another one each time", async () => {
		const text = Buffer.from("Ada Example, 1 Main Street. ".repeat(5_000));
		const [one, other] = [await seal(text), await seal(text)];
		expect(one.includes("Main Street")).toBe(false);
		expect(one.subarray(28).equals(other.subarray(28))).toBe(false);
	});

	it("is refused under another passphrase, at once", async () => {
		await expect(open(file, `${PASSPHRASE}s`)).rejects.toThrow("the passphrase is wrong");
		await expect(sealArchive("too short")).rejects.toThrow("at least 12 characters");
	});

	it("is opened by its passphrase alone under the key that commands derive", async () => {
		const encrypted = await whole((await sealArchive(PASSPHRASE))(inParts(archive, 10_000)));
		const opened = await openSealed(inParts(encrypted, 10_000), async () => PASSPHRASE, keyOf);
		expect((await whole(opened)).equals(archive)).toBe(true);
		const wrong = openSealed(inParts(encrypted, 10_000), async () => `${PASSPHRASE}s`);
		await expect(wrong.then(whole)).rejects.toThrow("the passphrase is wrong");
	});

	it("is refused with any bit flipped", async () => {
		const bits = fc.integer({ min: 28 * 8, max: file.length * 8 - 1 });
		await fc.assert(
			fc.asyncProperty(bits, async (bit) => {
				const changed = Buffer.from(file);
				changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
				await expect(open(changed)).rejects.toThrow(/is damaged|is wrong, or the beginning of the file is damaged/);
			}),
			{
				numRuns: sizeOr(1_000, 5),
				examples: [[HEADER * 8 - 1], [HEADER * 8], [(HEADER + SEALED_CHUNK) * 8], [file.length * 8 - 1]],
			},
		);
	});

	it.for([
		["within the header", () => file.subarray(0, HEADER - 1)],
		["after the header", () => file.subarray(0, HEADER)],
		["between two chunks", () => file.subarray(0, HEADER + SEALED_CHUNK)],
		["between two other chunks", () => file.subarray(0, HEADER + 3 * SEALED_CHUNK)],
		["within a chunk", () => file.subarray(0, HEADER + SEALED_CHUNK + 5)],
		["by one byte", () => file.subarray(0, -1)],
	] as const)("is refused when it was cut %s", async ([_where, cut]) => {
		await expect(open(cut())).rejects.toThrow("its end is missing");
	});

	it("is refused with chunks left out, repeated, exchanged, added, or taken from another file", async () => {
		const chunk = (of: Buffer, n: number) => of.subarray(HEADER + n * SEALED_CHUNK, HEADER + (n + 1) * SEALED_CHUNK);
		const head = file.subarray(0, HEADER);
		const [a, b, c, last] = [chunk(file, 0), chunk(file, 1), chunk(file, 2), chunk(file, 3)];
		const other = await seal(archive);
		for (const parts of [
			[a, c, last],
			[a, a, b, c, last],
			[b, a, c, last],
			[a, b, c, last, last],
			[a, chunk(other, 1), c, last],
			[last],
		])
			await expect(open(Buffer.concat([head, ...parts]))).rejects.toThrow("is damaged");
		expect((await open(Buffer.concat([head, a, b, c, last]))).equals(archive)).toBe(true);
	});

	it("that is not encrypted is passed on as it is, and nobody is asked for a passphrase", async () => {
		const never = async (): Promise<string> => {
			throw new Error("asked");
		};
		for (const bytes of [archive, Buffer.from("backup.json"), Buffer.alloc(0)])
			expect((await whole(await openSealed(inParts(bytes, 50), never))).equals(bytes)).toBe(true);
	});
});
