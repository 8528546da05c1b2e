import type { StoredPepper } from "../../partners/keys/stored-peppers-sql.ts";
import { type BackupFacts, FILES_FOLDER, KEY_RING_ENTRY, type Manifest } from "./manifest.ts";

/** The facts that an archive contains about itself. */
export interface ArchiveReport {
	readonly made_at: string;
	readonly holdfast: string;
	readonly postgres: string;
	readonly rows: number;
	readonly holds: number;
	readonly moves: number;
	readonly jobs: number;
	readonly files: number;
	readonly key_ring: "left out" | "encrypted";
	/** The entries of the key ring that a restored database needs, each with its numbers of keys and endpoints. */
	readonly needs_key_ring: readonly StoredPepper[];
}

export interface BackupReport extends ArchiveReport {
	/** Size of the archive. */
	readonly bytes: number;
	/** Tables in the schema that are not Holdfast's and are not in the archive. */
	readonly not_carried: readonly string[];
}

export function reportOf(facts: BackupFacts, { rows, jobs, entries }: Manifest): ArchiveReport {
	return {
		made_at: facts.made_at,
		holdfast: facts.holdfast,
		postgres: facts.postgres,
		rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
		holds: rows["hold"] ?? 0,
		moves: rows["unit_move"] ?? 0,
		jobs,
		files: entries.filter(({ name }) => name.startsWith(FILES_FOLDER)).length,
		key_ring: entries.some(({ name }) => name === KEY_RING_ENTRY) ? "encrypted" : "left out",
		needs_key_ring: facts.peppers,
	};
}
