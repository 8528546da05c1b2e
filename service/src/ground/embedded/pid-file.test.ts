import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeStalePidFile, takeAwayPidFile } from "./pid-file.ts";
import { isPostmasterOf } from "./processes.ts";

let folder: string;
let file: string;
beforeEach(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-pid-")));
	file = join(folder, "postmaster.pid");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A pid file as PostgreSQL writes it. */
const written = (pid: number, startedAt: number, status = "ready   "): string =>
	[pid, folder, startedAt, 5432, folder, "", "  5432001  65536", status, ""].join("\n");

test("the pid file that was judged is taken away, and nothing of it is left", async () => {
	await writeFile(file, written(4_000, 1));
	expect(await takeAwayPidFile(folder, written(4_000, 1))).toBe(true);
	expect(await readdir(folder)).toEqual([]);
});

test("a pid file that took the place of the judged one stays, to the byte", async () => {
	for (const fresh of [written(4_001, 1), written(4_000, 2), "4001"]) {
		await writeFile(file, fresh);
		expect(await takeAwayPidFile(folder, written(4_000, 1))).toBe(false);
		expect(await readFile(file, "utf8")).toBe(fresh);
		expect(await readdir(folder)).toEqual(["postmaster.pid"]);
	}
});

test("of many who take the same pid file away at once one does, and no fresh one is lost", async () => {
	const [stale, fresh] = [written(4_000, 1), written(4_001, 2)];
	for (let round = 0; round < 50; round++) {
		await writeFile(file, stale);
		const taken = await Promise.all(
			Array.from({ length: 8 }, async () => {
				const mine = await takeAwayPidFile(folder, stale);
				if (mine) await writeFile(file, fresh, { flag: "wx" }); // as a starting server does
				return mine;
			}),
		);
		expect(taken.filter(Boolean)).toHaveLength(1);
		expect(await readFile(file, "utf8")).toBe(fresh);
	}
});

test("a pid file without a pid, as a power cut leaves it, is removed", async () => {
	await writeFile(file, "");
	const said: string[] = [];
	await removeStalePidFile(folder, (line) => said.push(line));
	expect(said).toHaveLength(1);
	expect(await readdir(folder)).toEqual([]);
});

test("the lock of a socket goes with a stale pid file, whoever has its number now; that of another server stays", async () => {
	const lock = (name: string, dataDir: string) =>
		writeFile(join(folder, name), `${process.pid}\n${dataDir}\n1\n5432\n`);
	await writeFile(file, written(process.pid, 1));
	await lock(".s.PGSQL.5432.lock", folder);
	await lock(".s.PGSQL.5433.lock", "/somewhere/else");
	await removeStalePidFile(folder, () => undefined);
	expect(await readdir(folder)).toEqual([".s.PGSQL.5433.lock"]);
});

test("neither the first process nor a process that works elsewhere is a server of the folder", () => {
	expect(isPostmasterOf(1, "/")).toBe(false);
	expect(isPostmasterOf(process.pid, folder)).toBe(false);
	expect(isPostmasterOf(process.pid, process.cwd())).toBe(true);
});
