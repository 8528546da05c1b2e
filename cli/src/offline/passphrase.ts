import { readFile } from "node:fs/promises";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";

/**
 * The passphrase of a backup, or of the key ring in it: the first line of a file, or typed at the terminal. Never an
 * argument or a variable, which other users of the machine may see. @throws OperatorError when there is neither
 */
export async function readPassphrase(
	file: string | undefined,
	{ twice }: { readonly twice: boolean },
): Promise<string> {
	if (file !== undefined) return await firstLine(file);
	if (!process.stdin.isTTY || !process.stderr.isTTY)
		throw new OperatorError("Give the passphrase with --passphrase-file FILE: there is no terminal to prompt for it.");
	const first = await ask("Passphrase of the backup");
	if (twice && (await ask("Repeat the passphrase")) !== first) throw new OperatorError("The two passphrases differ.");
	return first;
}

async function firstLine(file: string): Promise<string> {
	try {
		return (await readFile(file, "utf8")).split(/\r?\n/, 1)[0] ?? "";
	} catch (cause) {
		throw new OperatorError(`The passphrase cannot be read: ${(cause as Error).message}.`, { cause });
	}
}

async function ask(message: string): Promise<string> {
	const { isCancel, password } = await import("@clack/prompts");
	const given = await password({ message, output: process.stderr });
	if (isCancel(given)) throw new OperatorError("No passphrase was given.");
	return given;
}
