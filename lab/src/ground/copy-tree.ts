import { chown, copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";

/** Decides by the path below the root whether an entry is skipped. A skipped folder is created empty. */
type Skip = (path: string) => boolean;

/**
 * Copies a folder that is being written to; files that disappear meanwhile are skipped. The copy belongs to the
 * account.
 */
export async function copyTree(
	from: string,
	to: string,
	account: Account | null,
	skip: Skip,
	below = "",
): Promise<void> {
	const own = async (path: string): Promise<void> => {
		if (account !== null) await chown(path, account.uid, account.gid);
	};
	for (const entry of await readdir(join(from, below), { withFileTypes: true })) {
		const path = join(below, entry.name);
		if (skip(path)) continue;
		const target = join(to, path);
		if (entry.isDirectory()) {
			await mkdir(target, { recursive: true, mode: 0o700 });
			await own(target);
			await copyTree(from, to, account, skip, path);
		} else if (entry.isFile()) {
			try {
				await copyFile(join(from, path), target);
				await own(target);
			} catch (error) {
				if ((error as { code?: string }).code !== "ENOENT") throw error;
			}
		}
	}
}
