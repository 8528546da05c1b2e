import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { Closed } from "../../ground/lib/closed.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";

/** The archive's first entry, its last two, and the folders of the entries between them. */
export const FACTS_ENTRY = "backup.json";
export const MANIFEST_ENTRY = "manifest.json";
export const MANIFEST_DIGEST_ENTRY = "manifest.sha256";
export const KEY_RING_ENTRY = "key-ring.json";
export const TABLES_FOLDER = "tables/";
export const JOBS_FOLDER = "jobs/";
export const FILES_FOLDER = "files/";

const FORMAT = "holdfast-backup";
/** Incremented when an older build could misread an archive. */
const FORMAT_VERSION = 1;

const Name = Type.String({ pattern: "^[a-z][a-z0-9_]{0,62}$" });
const Count = Type.Integer({ minimum: 0 });
const Digest = Type.String({ pattern: "^[0-9a-f]{64}$" });

/** The first entry of an archive: everything that a reader must know before the rows. */
const FactsSchema = Closed({
	format: Type.Literal(FORMAT),
	format_version: Type.Integer({ minimum: 1 }),
	/** The version of the build that wrote it. */
	holdfast: Type.String(),
	/** The instant of the snapshot, by the database's clock. */
	made_at: Type.String(),
	/** The version of the server that the rows were read from. */
	postgres: Type.String(),
	/** Migrations that the database had applied, in order, without those of the job tables. */
	migrations: Type.Array(Type.String()),
	tables: Type.Array(Closed({ name: Name, columns: Type.Array(Name, { minItems: 1 }) }), { minItems: 1 }),
	sequences: Type.Array(Closed({ name: Name, last: Count, used: Type.Boolean() })),
	/**
	 * The entries of the key ring under which stored secrets were created, and how many keys and webhook secrets need
	 * each.
	 */
	peppers: Type.Array(Closed({ id: Type.String(), keys: Count, webhooks: Count, tokens: Type.Optional(Count) })),
});
export type BackupFacts = Static<typeof FactsSchema>;

/** The end of an archive, by which a reader checks that every entry is present and unchanged. */
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
	if (!validators.facts.Check(facts)) throw notOne(`${FACTS_ENTRY} is malformed`);
	return facts;
}

/** @throws OperatorError when the text is not a manifest that this build can read. */
export function parseManifest(text: string): Manifest {
	const manifest = parse(text, MANIFEST_ENTRY);
	if (!validators.manifest.Check(manifest)) throw notOne(`${MANIFEST_ENTRY} is malformed`);
	return manifest;
}

function parse(text: string, entry: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw notOne(`${entry} is not JSON`);
	}
}

/** An error for an archive that does not match its manifest or the format. */
export const damaged = (why: string): OperatorError =>
	new OperatorError(
		`The backup is damaged: ${why.replaceAll(/\p{C}/gu, "?")}. Nothing was changed; use another copy of it, or an earlier backup.`,
	);

/**
 * The table that a chunk belongs to, for a name such as `tables/012-hold/000001.copy.zst`; null if the entry is not a
 * chunk of a table.
 */
export function tableOf(entry: string): string | null {
	const [, name = null] = /^tables\/\d{3}-([a-z0-9_]+)\/\d{6,}\.copy\.zst$/.exec(entry) ?? [];
	return name;
}

const PLACE_DIGITS = 3;
const CHUNK_DIGITS = 6;

/**
 * The entry name of a table's chunk. `place` is the table's position in the archive, `number` the chunk's; both from 1.
 */
export const chunkEntry = (table: string, place: number, number: number): string =>
	`${TABLES_FOLDER}${padded(place, PLACE_DIGITS)}-${table}/${padded(number, CHUNK_DIGITS)}.copy.zst`;
export const jobsEntry = (number: number): string => `${JOBS_FOLDER}${padded(number, CHUNK_DIGITS)}.copy.zst`;
export const fileEntry = (digest: string): string => FILES_FOLDER + digest;

const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");
