import { chmod, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A new folder, by its real path, below which a server of the test's own may keep its files. Run as root, PostgreSQL
 * has another account, which must be able to pass: in a closed folder its files would go elsewhere, and stay there when
 * the test removes the folder.
 */
export async function openServerPlace(name: string, parent = tmpdir()): Promise<string> {
	const folder = await realpath(await mkdtemp(join(parent, `holdfast-${name}-`)));
	await chmod(folder, 0o711);
	return folder;
}
