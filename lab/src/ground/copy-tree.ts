import { chown, copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";

/** Which entries of the tree are left out, by path below its root. Folders that match are made empty. */
type Skip = (path: string) => boolean;

/** Copies a folder that somebody writes to: what vanishes meanwhile is left out. The copy belongs to the account. */
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
