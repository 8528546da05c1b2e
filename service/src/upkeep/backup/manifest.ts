import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { Closed } from "../../ground/lib/closed.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";

/** The archive's first entry, its last two, and the folders of what lies between. */
export const FACTS_ENTRY = "backup.json";
export const MANIFEST_ENTRY = "manifest.json";
export const MANIFEST_DIGEST_ENTRY = "manifest.sha256";
export const KEY_RING_ENTRY = "key-ring.json";
export const TABLES_FOLDER = "tables/";
export const JOBS_FOLDER = "jobs/";
export const FILES_FOLDER = "files/";

const FORMAT = "holdfast-backup";
/** Grows when an older build could misread an archive. */
const FORMAT_VERSION = 1;

const Name = Type.String({ pattern: "^[a-z][a-z0-9_]{0,62}$" });
const Count = Type.Integer({ minimum: 0 });
const Digest = Type.String({ pattern: "^[0-9a-f]{64}$" });

/** What an archive begins with: everything that must be known before its rows are read. */
const FactsSchema = Closed({
	format: Type.Literal(FORMAT),
	format_version: Type.Integer({ minimum: 1 }),
	/** The version of the build that wrote it. */
	holdfast: Type.String(),
	/** The instant of the snapshot, by the database's clock. */
	made_at: Type.String(),
	/** The version of the server that it was read from. */
	postgres: Type.String(),
	/** Those that the database had seen, in order; those of the jobs are not among them. */
	migrations: Type.Array(Type.String()),
	tables: Type.Array(Closed({ name: Name, columns: Type.Array(Name, { minItems: 1 }) }), { minItems: 1 }),
	sequences: Type.Array(Closed({ name: Name, last: Count, used: Type.Boolean() })),
	/** Under which entries of the key ring stored secrets were made, and of how many keys. */
	peppers: Type.Array(Closed({ id: Type.String(), keys: Count, webhooks: Count })),
});
export type BackupFacts = Static<typeof FactsSchema>;

/** What an archive ends with: by it a reader knows that it has everything, unchanged. */
const ManifestSchema = Closed({
	/** Rows of each table. */
	rows: Type.Record(Type.String(), Count),
	jobs: Count,
	entries: Type.Array(Closed({ name: Type.String(), size: Count, sha256: Digest })),
});
export type Manifest = Static<typeof ManifestSchema>;

const validators = { facts: Compile(FactsSchema), manifest: Compile(ManifestSchema) };

const notOne = (why: string): OperatorError =>
	new OperatorError(`This is not a backup of Holdfast, or it is damaged: ${why}. Nothing was changed.`);

export const newFacts = (facts: Omit<BackupFacts, "format" | "format_version">): BackupFacts => ({
	format: FORMAT,
	format_version: FORMAT_VERSION,
	...facts,
});

/** @throws OperatorError when the text is not the beginning of an archive that this build can read. */
export function parseFacts(text: string): BackupFacts {
	const facts = parse(text, FACTS_ENTRY);
	const version = (facts as { format_version?: unknown } | null)?.format_version;
	if (typeof version === "number" && version > FORMAT_VERSION)
		throw new OperatorError(
			`A newer Holdfast wrote this backup (format ${version}, this one reads ${FORMAT_VERSION}). Restore it with that version.`,
		);
	if (!validators.facts.Check(facts)) throw notOne(`${FACTS_ENTRY} is not what it must be`);
	return facts;
}

/** @throws OperatorError */
export function parseManifest(text: string): Manifest {
	const manifest = parse(text, MANIFEST_ENTRY);
	if (!validators.manifest.Check(manifest)) throw notOne(`${MANIFEST_ENTRY} is not what it must be`);
	return manifest;
}

function parse(text: string, entry: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw notOne(`${entry} is not JSON`);
	}
}

/** Something in an archive is not what its manifest, or the format, says. */
export const damaged = (why: string): OperatorError =>
	new OperatorError(
		`The backup is damaged: ${why.replaceAll(/\p{C}/gu, "?")}. Nothing was changed; take another copy of it, or an earlier one.`,
	);

/** Which table a chunk is of: `tables/012-hold/000001.copy.zst`. Null: it is no chunk of a table. */
export function tableOf(entry: string): string | null {
	const [, name = null] = /^tables\/\d{3}-([a-z0-9_]+)\/\d{6,}\.copy\.zst$/.exec(entry) ?? [];
	return name;
}

const PLACE_DIGITS = 3;
const CHUNK_DIGITS = 6;

/**
 * The entry of a table's chunk. `place` is that of the table in the archive, `number` that of the chunk, both from 1.
 */
export const chunkEntry = (table: string, place: number, number: number): string =>
	`${TABLES_FOLDER}${padded(place, PLACE_DIGITS)}-${table}/${padded(number, CHUNK_DIGITS)}.copy.zst`;
export const jobsEntry = (number: number): string => `${JOBS_FOLDER}${padded(number, CHUNK_DIGITS)}.copy.zst`;
export const fileEntry = (digest: string): string => FILES_FOLDER + digest;

const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");
