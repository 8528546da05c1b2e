import { execFile } from "node:child_process";
import { chmod, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { withVariables } from "../dotenv.ts";
import { usage } from "../failure.ts";

/** Only the owner may read and write the file. */
const MODE = 0o600;

/**
 * Sets variables in a file, and leaves the rest of it as it is. A complete new file is written beside it and then
 * renamed.
 */
export async function setVariables(file: string, variables: Readonly<Record<string, string>>): Promise<void> {
	try {
		const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return "";
			throw error;
		});
		// a link stays one
		const target = await realpath(file).catch(() => file);
		await writeFile(`${target}.new`, withVariables(before, variables), { mode: MODE });
		await chmod(`${target}.new`, MODE); // an older one may have been left
		await rename(`${target}.new`, target);
	} catch (error) {
		throw usage(`The file ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
	}
}

/** Whether git would add a file to the repository; null: there is no repository here, or no git. */
export function wouldGitTake(file: string): Promise<boolean | null> {
	return new Promise((resolve) => {
		execFile("git", ["check-ignore", "-q", file], (error) => {
			const code = error === null ? 0 : error.code;
			resolve(code === 0 ? false : code === 1 ? true : null);
		});
	});
}
