import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { aloneDropping, dropDay, type LogPart, selectDays } from "./days-sql.ts";

const DAY_MS = 86_400_000;
const DAY_LENGTH = 10;

export type KeptDays = { readonly [part in LogPart]: number };

/** The first day that is kept, `YYYY-MM-DD`: today is the last of `days`. */
export const firstKept = (nowMs: number, days: number): string =>
	toRfc3339(nowMs - (days - 1) * DAY_MS).slice(0, DAY_LENGTH);

/** Drops whole days that are past their retention, one after the other. Returns their number. */
export async function dropOldDays(db: Database, kept: KeptDays, signal: AbortSignal): Promise<number> {
	const dropped = await db.onOne((client) =>
		aloneDropping(client, async () => {
			const nowMs = await selectNow(client);
			const old = (await selectDays(client)).filter(({ part, day }) => day < firstKept(nowMs, kept[part]));
			let count = 0;
			for (const day of old) {
				if (signal.aborted) break;
				await dropDay(client, day);
				count++;
			}
			return count;
		}),
	);
	return dropped ?? 0;
}
