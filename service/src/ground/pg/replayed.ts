import { must } from "../lib/assert.ts";
import type { Query } from "./connect.ts";
import type { Epoch } from "./epoch.ts";
import { prepared } from "./query.ts";

/*
 * Expressions that say what a snapshot of a replica shows. On a primary they are null, or have the value that they
 * would have without a replica. Each is a subquery that is run once for a statement, so that an index can be searched
 * for its value.
 */

/**
 * Number of latest beats that count: older ones may be of nodes that have ended, from before the clock stepped back.
 */
const RECENT_BEATS = 100;
/** The last beats that the snapshot shows; everything that had committed before one was written is there, too. */
const ofBeats = (what: string): string =>
	`(select max(${what}) from replica_beat where number > (select max(number) from replica_beat) - ${RECENT_BEATS})`;

/** The moment that the snapshot shows: on a primary the present one, on a replica that of its last beat. */
export const READ_NOW = `(select case when pg_is_in_recovery() then ${ofBeats("at")} else now() end)`;

const readNow = prepared<[ms: number]>(
	"select_read_now",
	`select floor(extract(epoch from ${READ_NOW}) * 1000)::bigint`,
);
/** The same as a statement, in epoch milliseconds. */
export const selectReadNow = async (on: Query): Promise<number> => must((await readNow(on, []))[0], "the moment")[0];

/**
 * The highest number of a list that the primary had shown before the last beat; null on a primary. A replica may show
 * commits that still wait for a standby on the primary, and that a promotion may lose: pages end before them.
 */
export const settledOf = (epoch: Epoch): string =>
	`(select case when pg_is_in_recovery() then coalesce(${ofBeats(`(lists -> '${epoch}' ->> 0)::bigint`)}, ${NOTHING_SETTLED}) end)`;

/** Below every number, even that of a reader at the beginning: for a list that beats do not describe. */
const NOTHING_SETTLED = -1;

/** The moment of a page, as the last beat recorded it, in epoch milliseconds. */
export const beatMomentOf = (epoch: Epoch): string => ofBeats(`(lists -> '${epoch}' ->> 1)::bigint`);
