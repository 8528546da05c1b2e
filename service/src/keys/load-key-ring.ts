import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../lib/ids.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { quotedCommand } from "../lib/typed-command.ts";
import { type KeyRing, newKeyRingEntry, parseKeyRing } from "./key-ring.ts";

/** The generated ring, in the data folder, readable by its owner only. */
const FILE_NAME = "secret-keys";

export interface KeyRingSettings {
	/** HOLDFAST_SECRET_KEYS, or null. */
	readonly secretKeys: string | null;
	/** HOLDFAST_DATABASE_URL, or null for the embedded database. */
	readonly databaseUrl: string | null;
	readonly dataDir: string;
}

/**
 * The ring in force: the configured one, or with the embedded database the one in the data folder, made on first use. Throws
 * OperatorError when a database of the operator's own has none: every node must be given the same.
 */
export async function loadKeyRing({ secretKeys, databaseUrl, dataDir }: KeyRingSettings): Promise<KeyRing> {
	if (secretKeys !== null) return parse("HOLDFAST_SECRET_KEYS", secretKeys);
	if (databaseUrl !== null) {
		throw new OperatorError(
			`HOLDFAST_SECRET_KEYS: must be set when HOLDFAST_DATABASE_URL is. Make one once with ${quotedCommand("secrets generate")} and give every node the line it prints.`,
		);
	}
	const file = join(dataDir, FILE_NAME);
	return parse(file, await readOrMake(file, dataDir));
}

function parse(source: string, text: string): KeyRing {
	try {
		return parseKeyRing(text.trim());
	} catch (error) {
		throw new OperatorError(
			`${source}: ${(error as Error).message}. ${quotedCommand("secrets generate")} makes a good one.`,
		);
	}
}

/** Whoever links the file first wins; it is never half-written and never written again. */
async function readOrMake(file: string, dataDir: string): Promise<string> {
	try {
		return await readFile(file, "utf8");
	} catch (error) {
		if ((error as { code?: string }).code !== "ENOENT") throw error;
	}
	await mkdir(dataDir, { recursive: true });
	const half = `${file}.${newId()}`;
	await writeFile(half, `${newKeyRingEntry()}\n`, { mode: 0o600, flush: true });
	await link(half, file).catch((error) => {
		if ((error as { code?: string }).code !== "EEXIST") throw error;
	});
	await unlink(half);
	return await readFile(file, "utf8");
}
