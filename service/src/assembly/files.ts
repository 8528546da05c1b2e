import { type FileKeeper, NO_FILES } from "../backup/carried-files.ts";
import type { Config } from "../config.ts";

/** The files outside the database that a backup takes along and a restore puts back. A room that keeps files joins here. */
export const fileKeeperOf = (_config: Config): FileKeeper => NO_FILES;
