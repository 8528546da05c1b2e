/**
 * Puts files into a store, several at a time, and prints digest and size of each on a line once it was acknowledged.
 */
import { createHash } from "node:crypto";
import { openFileStore } from "../../src/inventory/certificates/file-store.ts";

const [folder = "", seed = ""] = process.argv.slice(2);
const AT_ONCE = 4;
const files = openFileStore({ kind: "folder", path: folder });

/** Bytes that no other process creates. */
function bytesOf(name: string): Buffer {
	const block = createHash("sha512").update(name).digest();
	return Buffer.concat(
		Array.from({ length: 200 + (block.readUInt16LE(0) % 3_000) }, (_, at) =>
			Buffer.concat([block, Buffer.from(String(at))]),
		),
	);
}

async function putForever(lane: number): Promise<never> {
	for (let n = 0; ; n++) {
		const bytes = bytesOf(`${seed} ${lane} ${n}`);
		const digest = await files.put(bytes);
		process.stdout.write(`${digest} ${bytes.length}\n`);
	}
}
await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => putForever(lane)));
