/** Backups that operators take during the run. */
import { rmSync } from "node:fs";
import path from "node:path";
import type { Topic } from "../../knowledge.ts";
import type { Chore, Command, Situation } from "../room.ts";

/** An acknowledged backup. Times are of the lab's clock. */
export interface Taken {
	readonly file: string;
	readonly start: number;
	readonly end: number;
}

class BackupsKnown {
	/** An empty folder for backups; null: none are taken. */
	folder: string | null = null;
	readonly taken: Taken[] = [];
	lastBegun = Number.NEGATIVE_INFINITY;
	#count = 0;

	newFile = (folder: string): string => path.join(folder, `backup-${++this.#count}.tar`);
}
export const BACKUPS: Topic<BackupsKnown> = { name: "backups", make: () => new BackupsKnown() };

/** Milliseconds between two backups, because each reads everything. */
const EVERY_MS = 60_000;
/** Maximum number of backups that are kept: the last ones, which contain the most. */
const MOST_KEPT = 2;

/** The next backup; null: it is too early for it. */
export function backUp({ knows, now }: Pick<Situation, "knows" | "now">): Command | null {
	const backups = knows.of(BACKUPS);
	if (backups.folder === null || now < backups.lastBegun + EVERY_MS) return null;
	backups.lastBegun = now;
	const file = backups.newFile(backups.folder);
	return {
		args: ["backup", file, "--json"],
		about: { what: "backup", file },
		learn: ({ code, start, end }) => {
			if (code !== 0)
				backups.lastBegun = Number.NEGATIVE_INFINITY; // a fault got in its way
			else backups.taken.push({ file, start, end });
			for (const old of backups.taken.splice(0, backups.taken.length - MOST_KEPT)) rmSync(old.file, { force: true });
		},
	};
}

export const BACKUP_CHORES: readonly Chore[] = [{ name: "backup", weight: 10, build: backUp }];
