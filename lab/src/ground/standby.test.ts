import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGround } from "./open-ground.ts";
import type { Ground } from "./types.ts";

const WRITERS = 6;
const WORK_MS = 400;
const PROMOTIONS = process.env.GUARANTEES === "full" ? 2 : 1;
const SERVICE_FOLDER = path.resolve(import.meta.dirname, "../../../service");

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-standby-test-"));
let ground: Ground;
beforeAll(async () => {
	ground = await openGround({ standby: true, nodes: 1, serviceFolder: SERVICE_FOLDER, folder, say: () => undefined });
});
afterAll(async () => {
	await ground?.stop();
	rmSync(folder, { recursive: true, force: true });
});

/** Rows that were acknowledged to a writer of plain SQL until its server died. */
async function writeUntilDead(writer: number, round: number): Promise<string[]> {
	const client = new pg.Client({ connectionString: ground.works.url });
	client.on("error", () => undefined); // it ends when its server is killed
	const acknowledged: string[] = [];
	try {
		await client.connect();
		for (let n = 0; ; n++) {
			const row = `${round}-${writer}-${n}`;
			await client.query("insert into acknowledged values ($1)", [row]);
			acknowledged.push(row);
		}
	} catch {
		return acknowledged;
	}
}

test("a promotion loses nothing that the primary acknowledged: whatever a trial finds missing was lost by the service", async () => {
	await ground.admin().query("create table acknowledged (row text primary key)");
	const told: string[] = [];
	for (let round = 0; round < PROMOTIONS; round++) {
		await ground.works.attachStandby();
		const writers = Array.from({ length: WRITERS }, (_, writer) => writeUntilDead(writer, round));
		await sleep(WORK_MS);
		await ground.works.failOver();
		told.push(...(await Promise.all(writers)).flat());
		await ground.whole(30_000);
	}
	const { rows } = await ground.admin().query<{ row: string }>("select row from acknowledged");
	const there = new Set(rows.map(({ row }) => row));
	expect(told.length).toBeGreaterThan(0);
	expect(told.filter((row) => !there.has(row))).toEqual([]);
});
