import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The tree of this release. */
export const ROOT = join(import.meta.dirname, "../../..");

/** The release before this one, as `release/before.json` names it. */
export interface ReleaseBefore {
	readonly version: string;
	readonly commit: string;
}

export const RELEASE_BEFORE = JSON.parse(readFileSync(join(ROOT, "release/before.json"), "utf8")) as ReleaseBefore;

/** Why the release before cannot be had here, as a sentence; null if it can. */
export function whyMissing({ version, commit }: ReleaseBefore): string | null {
	try {
		git("cat-file", "-e", `${commit}^{commit}`);
		return null;
	} catch {
		return `This clone lacks the commit ${commit.slice(0, 12)} of ${version}, as a shallow one does: fetch it to run this test.`;
	}
}

/** Writes the files of a commit into a new folder, where they use the packages that are installed here. */
export function putTree(commit: string, folder: string): void {
	mkdirSync(folder);
	const archive = git("archive", "--format=tar", commit);
	execFileSync("tar", ["-x", "-C", folder], { input: archive });
	symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

/** What a release after this one might add: it takes the locks of the tables that every batch writes. */
const EXPANSION = `
alter table lot add column after_note text, add column after_count integer not null default 0;
alter table hold add column after_note text, add column after_count integer not null default 0;
alter table hold_part add column after_note text;
alter table unit_move add column after_note text;
alter table orders add column after_note text, add column after_count integer not null default 0;
alter table event add column after_note text;
alter table api_key add column after_note text;
create index hold_after on hold (after_note) where after_note is not null;
create table after_thing (hold uuid primary key, noted_at timestamptz not null default clock_timestamp());
`;

/** Writes this release's files, with one more migration, into a new folder: the release after it. */
export function putReleaseAfter(folder: string): void {
	cpSync(ROOT, folder, {
		recursive: true,
		filter: (path) => !["node_modules", ".git", "data", "images"].includes(basename(path)),
	});
	symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
	writeFileSync(join(folder, "service/migrations/999999_release_after.sql"), EXPANSION);
}

/** Does the build in this folder refuse every migration that it lacks, as builds did before decision 0103? */
export const refusesWhatItLacks = (folder: string): boolean =>
	!existsSync(join(folder, "service/src/ground/pg/contracting.ts"));

/** The last migration of the build in this folder. */
export const lastMigrationOf = (folder: string): string =>
	readdirSync(join(folder, "service/migrations"))
		.filter((file) => file.endsWith(".sql"))
		.toSorted()
		.at(-1)
		?.replace(/\.sql$/, "") ?? "";

/** Bytes of an archive: that of this repository has some 40 MB. */
const MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024;

const git = (...args: string[]): Buffer =>
	execFileSync("git", args, { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"], maxBuffer: MAX_ARCHIVE_BYTES });
