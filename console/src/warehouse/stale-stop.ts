import { CallError, call } from "../api/call.ts";
import { words } from "../words/words.ts";
import type { PickStop } from "./marks.ts";

/**
 * Why the units of a stop must not be taken any more, as the service sees their lot now; null: they may be. A list does
 * not change while somebody walks with it, but its lots do.
 */
export async function wrongWithStop({ fg_id, batch_number, units }: PickStop): Promise<string | null> {
	try {
		const { recalled_at, allocated } = await call("get_lot", { params: { fg_id } });
		if (recalled_at !== null) return words.walk.recalledSince(batch_number);
		return allocated < units ? words.walk.takenAway(batch_number) : null;
	} catch (error) {
		if (!(error instanceof CallError)) throw error;
		return words.walk.notChecked(batch_number, error.message);
	}
}
