import { isUtf8 } from "node:buffer";
import { assert } from "../../ground/lib/assert.ts";
import { inTurns } from "../../ground/lib/paced.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type Changes, setDemand } from "../../inventory/stock/set-demand.ts";
import { orRefusal, previewWorld } from "./apply-world.ts";
import { takeCsv } from "./csv.ts";
import { emptyWorld, type Problem, type World } from "./entries.ts";
import { chunks } from "./write-catalog.ts";

interface CsvFile {
	readonly name: string;
	readonly bytes: Buffer;
}

/**
 * Adds or replaces the demand of CSV files, whatever their names: all of it, or nothing. Refuses `invalid_input` with
 * every problem and its place.
 */
export async function importDemand(tx: Query, files: readonly CsvFile[]): Promise<Changes | Refusal<"invalid_input">> {
	const world = emptyWorld();
	const unread: Problem[] = [];
	for (const file of files) for (const problem of await takeFile(world, file)) unread.push(problem);
	const preview = await orRefusal(() => previewWorld(tx, {}, world, unread));
	if (isRefusal(preview)) return preview;
	let total: Changes = { created: 0, changed: 0, unchanged: 0 };
	for (const some of chunks(world.demand)) {
		const changes = await setDemand(
			tx,
			some.map(({ entry }) => entry),
		);
		assert(!isRefusal(changes), "a plan names only what exists");
		total = {
			created: total.created + changes.created,
			changed: total.changed + changes.changed,
			unchanged: total.unchanged + changes.unchanged,
		};
	}
	return total;
}

async function takeFile(world: World, { name, bytes }: CsvFile): Promise<Problem[]> {
	if (isUtf8(bytes)) return await inTurns(takeCsv(world, "demand", name, bytes.toString("utf8")));
	return [{ at: name, message: "is not UTF-8: save it in that encoding", unread: { section: "demand" } }];
}
