/** Restores backups after the run, each into an empty database of its own beside the service, and reads the result. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { holdfast, lastLine, printedBy } from "../../holdfast.ts";
import { run } from "../../run/operators.ts";
import type { Scene } from "../../run/scene.ts";
import { type HoldFact, lookUpHolds } from "../holds/look-up-sql.ts";
import { lookUpOrders, type OrderFacts } from "../orders/look-up-sql.ts";
import type { Neighbours } from "../room.ts";
import { lookUpStock, type StockFacts } from "../stock/look-up-sql.ts";
import { BACKUPS, backUp, type Taken } from "./workload.ts";

/** The content of a database that a backup was restored into. */
export interface RestoredNote {
	/** When the backup was begun and when it was acknowledged. */
	readonly start: number;
	readonly end: number;
	/** Exit code of the restore, which also verifies; and its last message when it was not 0. */
	readonly code: number | null;
	readonly trouble: string | null;
	readonly holds: readonly HoldFact[];
	readonly orders: Pick<OrderFacts, "orders" | "boxes">;
	readonly batches: StockFacts["batches"];
}

/** Milliseconds for a restore: it loads and verifies all rows of a long run. */
const PATIENCE_MS = 300_000;

export async function openBackups(scene: Scene): Promise<Neighbours> {
	const backups = scene.knows.of(BACKUPS);
	const folder = path.join(scene.folder, "backups");
	await mkdir(folder);
	backups.folder = folder;
	return {
		calm: async () => {
			if (backups.taken.length === 0) await takeOne(scene); // faults were in the way of all others
			for (const [at, taken] of backups.taken.entries()) {
				const note = await restore(scene, taken, `restored_${at + 1}`);
				scene.recorder.write({ kind: "record", room: "backups", at: performance.now(), note });
			}
		},
		close: async () => undefined,
	};
}

/** So that even a short run restores something. */
async function takeOne(scene: Scene): Promise<void> {
	const command = backUp({ ...scene, now: Number.POSITIVE_INFINITY });
	if (command !== null) await run(scene, "backup", command);
}

async function restore({ ground }: Scene, { file, start, end }: Taken, database: string): Promise<RestoredNote> {
	const env = await ground.openDatabase(database);
	const ran = await holdfast(ground.launcher, env, ["restore", file, "--json"], PATIENCE_MS);
	const db = new pg.Pool({ connectionString: env.HOLDFAST_DATABASE_URL, max: 1 });
	try {
		const { holds } = await lookUpHolds(db);
		const { orders, boxes } = await lookUpOrders(db);
		const { batches } = await lookUpStock(db);
		const trouble = ran.code === 0 ? null : (differencesIn(printedBy(ran)) ?? lastLine(ran.stderr));
		return { start, end, code: ran.code, trouble, holds, orders: { orders, boxes }, batches };
	} finally {
		await db.end();
		await ground.dropDatabase(database);
	}
}

/** The rules that the restore found violated; null: it did not get that far. */
function differencesIn(printed: unknown): string | null {
	const { verify } = (printed ?? {}) as { verify?: { differences?: { rule: string; count: number }[] } };
	return verify?.differences?.map(({ rule, count }) => `${rule} ${count}`).join(", ") ?? null;
}
