import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { killAll, start, until } from "../../../test/processes/child.ts";
import { tryStartLock } from "./start-lock.ts";

const PROGRAM = join(import.meta.dirname, "../../../test/processes/hold-start-lock.ts");
const folder = { pgData: `/nowhere/${process.pid}`, password: "hush" };

afterEach(killAll);

test("one process at a time may start the server of a data folder, and it is free when that process is killed", async () => {
	const other = start(process.execPath, [PROGRAM, folder.pgData, folder.password]);
	await until("the lock to be taken", () => other.lines.includes("taken"));
	expect(await tryStartLock(folder)).toBeNull();
	await other.kill();
	const lock = await tryStartLock(folder);
	expect(lock).not.toBeNull();
	expect(await tryStartLock(folder)).toBeNull();
	await lock?.release();
	const again = await tryStartLock(folder);
	expect(again).not.toBeNull();
	await again?.release();
});

test("two data folders do not wait for each other", async () => {
	const one = await tryStartLock(folder);
	const two = await tryStartLock({ ...folder, pgData: `${folder.pgData}/other` });
	expect([one, two]).not.toContain(null);
	await Promise.all([one?.release(), two?.release()]);
});
