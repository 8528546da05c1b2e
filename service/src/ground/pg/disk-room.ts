import { statfs } from "node:fs/promises";

/** Bytes that must be free where the embedded database is: a few segments of its log, and room for tables to grow. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Bytes that an ordinary account may still write on the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}
