import { chmod, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A new folder, by its real path, for the files of a test's own server. If the test runs as root, PostgreSQL uses
 * another account, which must be able to reach the folder; otherwise its files would be put elsewhere, and would remain
 * when the test removes the folder.
 */
export async function openServerPlace(name: string, parent = tmpdir()): Promise<string> {
	const folder = await realpath(await mkdtemp(join(parent, `holdfast-${name}-`)));
	await chmod(folder, 0o711);
	return folder;
}
