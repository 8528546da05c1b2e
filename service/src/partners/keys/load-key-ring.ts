import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../ground/lib/ids.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { quotedCommand } from "../../ground/lib/typed-command.ts";
import { type KeyRing, newKeyRingEntry, parseKeyRing } from "./key-ring.ts";

/** The generated ring, in the data folder, readable only by its owner. */
const FILE_NAME = "secret-keys";

export interface KeyRingSettings {
	/** HOLDFAST_SECRET_KEYS, or null. */
	readonly secretKeys: string | null;
	/** HOLDFAST_DATABASE_URL, or null for the embedded database. */
	readonly databaseUrl: string | null;
	readonly dataDir: string;
}

/**
 * The ring in force: the configured one, or for the embedded database the one in the data folder, created on first use.
 * @throws OperatorError if an operator's own database has none, because all nodes must be given the same ring
 */
export async function loadKeyRing({ secretKeys, databaseUrl, dataDir }: KeyRingSettings): Promise<KeyRing> {
	if (secretKeys !== null) return parse("HOLDFAST_SECRET_KEYS", secretKeys);
	if (databaseUrl !== null) {
		throw new OperatorError(
			`HOLDFAST_SECRET_KEYS: must be set when HOLDFAST_DATABASE_URL is. Generate one once with ${quotedCommand("secrets generate")} and give every node the line it prints.`,
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
			`${source}: ${(error as Error).message}. ${quotedCommand("secrets generate")} generates a valid one.`,
		);
	}
}

/** The text of the ring in force and its source; null if none is configured, and the data folder has none. */
export async function findKeyRing(settings: KeyRingSettings): Promise<{ source: string; text: string } | null> {
	const { secretKeys, databaseUrl, dataDir } = settings;
	if (secretKeys !== null) return { source: "HOLDFAST_SECRET_KEYS", text: secretKeys.trim() };
	if (databaseUrl !== null) return null;
	const source = join(dataDir, FILE_NAME);
	const text = await readRing(source);
	return text === null ? null : { source, text: text.trim() };
}

/** Stores the text of a ring in the data folder. @throws OperatorError if there is a different one */
export async function keepKeyRing(text: string, dataDir: string): Promise<string> {
	const file = join(dataDir, FILE_NAME);
	if ((await readRing(file)) === null) await writeRing(file, dataDir, text);
	if ((await readRing(file))?.trim() === text.trim()) return file;
	throw new OperatorError(
		`${file} differs from the key ring of the backup: move it away, and try again. Nothing was changed.`,
	);
}

async function readRing(file: string): Promise<string | null> {
	try {
		return await readFile(file, "utf8");
	} catch (error) {
		const { code, message } = error as { code?: string; message: string };
		if (code === "ENOENT") return null;
		throw new OperatorError(
			`The key ring cannot be read: ${message}. Give this account access to the file; do not generate another ring.`,
			{
				cause: error,
			},
		);
	}
}

async function readOrMake(file: string, dataDir: string): Promise<string> {
	const there = await readRing(file);
	if (there !== null) return there;
	await writeRing(file, dataDir, newKeyRingEntry());
	return await readFile(file, "utf8");
}

/** The first process to link the file wins; it is never half-written and never changed. */
async function writeRing(file: string, dataDir: string, text: string): Promise<void> {
	await mkdir(dataDir, { recursive: true });
	const half = `${file}.${newId()}`;
	await writeFile(half, `${text.trim()}\n`, { mode: 0o600, flush: true });
	await link(half, file).catch((error) => {
		if ((error as { code?: string }).code !== "EEXIST") throw error;
	});
	await unlink(half);
}
