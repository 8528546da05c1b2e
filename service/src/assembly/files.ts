import type { FileKeeper } from "../backup/write-backup.ts";
import type { Config } from "../config.ts";

/** There are none yet. */
const NO_FILES: FileKeeper = {
	list: () => Promise.resolve([]),
	open: (digest) => Promise.reject(new Error(`bug: no file ${digest} was listed`)),
	put: ({ digest }) => Promise.reject(new Error(`bug: nobody keeps the file ${digest}`)),
};

/** The files outside the database that a backup takes along and a restore puts back. A room that keeps files joins here. */
export const fileKeeperOf = (_config: Config): FileKeeper => NO_FILES;
