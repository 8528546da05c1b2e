import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { OperatorError } from "../lib/operator-error.ts";

/** Codes of file system errors that the operator can fix. */
const MENDABLE = new Set([
	"EACCES",
	"EPERM",
	"EROFS",
	"ENOSPC",
	"EDQUOT",
	"ENOTDIR",
	"ENOENT",
	"EEXIST",
	"ELOOP",
	"EIO",
]);

/**
 * Creates a folder and its missing parents. Below an existing folder in which nothing can be created (/proc), Node's
 * recursive mkdir never ends: it tries to create the parent, learns that it exists, and starts again.
 */
export async function makeFolders(folder: string, mode: number): Promise<void> {
	try {
		await mkdir(folder, { mode });
	} catch (error) {
		const { code } = error as { code?: string };
		if (code === "EEXIST" && (await stat(folder)).isDirectory()) return;
		const parent = dirname(folder);
		if (code !== "ENOENT" || parent === folder || (await isFolder(parent))) throw error;
		await makeFolders(parent, mode);
		await mkdir(folder, { mode }).catch(async (again) => {
			// another process may have been faster
			if ((again as { code?: string }).code !== "EEXIST" || !(await isFolder(folder))) throw again;
		});
	}
}

/** Turns a file system error about the data folder into a sentence; returns any other error unchanged. */
export async function explainTrouble(dataDir: string, error: unknown): Promise<unknown> {
	const { code = "", path = "" } = error as { code?: string; path?: string };
	const ours = path.startsWith(dataDir) || (path !== "" && dataDir.startsWith(path));
	if (error instanceof OperatorError || !ours || !MENDABLE.has(code)) return error;
	return new OperatorError(await sentenceOf(dataDir, code, path, (error as Error).message), { cause: error });
}

async function sentenceOf(dataDir: string, code: string, path: string, message: string): Promise<string> {
	if (code === "EROFS") {
		return `The data folder ${dataDir} cannot be written: its file system is mounted read-only. Mount it writable, or set HOLDFAST_DATA_DIR to another folder.`;
	}
	if (code === "ENOSPC" || code === "EDQUOT") {
		return `The data folder ${dataDir} cannot be written: its disk or Holdfast's quota on it is full. Free some space, and start Holdfast again.`;
	}
	if (code !== "EACCES" && code !== "EPERM") {
		return `The data folder ${dataDir} cannot be used: ${message}. Set HOLDFAST_DATA_DIR to a folder that can be used.`;
	}
	const owner = await stat(dataDir).catch(() => null);
	const we = process.getuid?.() ?? 0;
	if (owner === null || owner.uid === we) {
		return `The data folder ${dataDir} cannot be used: Holdfast runs as ${await nameOf(we)}, which may not use ${path} (${code}). Give ${await nameOf(we)} access, or set HOLDFAST_DATA_DIR to another folder.`;
	}
	const name = await nameOf(owner.uid);
	return `The data folder ${dataDir} belongs to ${name}, and Holdfast runs as ${await nameOf(we)}, which may not use ${path} (${code}). Run Holdfast as ${name}, or set HOLDFAST_DATA_DIR to a folder that it owns.`;
}

/** The name of an account, or its number if it has no name here. */
async function nameOf(uid: number): Promise<string> {
	const accounts = await readFile("/etc/passwd", "utf8").catch(() => "");
	const line = accounts.split("\n").find((entry) => entry.split(":")[2] === String(uid));
	return line?.split(":")[0] || `user ${uid}`;
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isDirectory() === true;

/** Ignores the error of making something that is there already. */
export function ignoreExisting(error: unknown): void {
	if ((error as { code?: string }).code !== "EEXIST") throw error;
}
