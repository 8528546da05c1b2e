import { statfs } from "node:fs/promises";

/** Bytes that must be free on the disk of the embedded database: a few WAL segments, and room for tables to grow. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Bytes that an unprivileged account may still write on the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}
