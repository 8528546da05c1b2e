import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeDataFolder, openDataPlace } from "../../../test/data-folder.ts";
import { isAlive, killAll } from "../../../test/processes/child.ts";
import { ask, stopServersBelow } from "../../../test/processes/server-folder.ts";
import { type EmbeddedPostgres, openEmbedded } from "./embedded.ts";

const PROGRAM = join(import.meta.dirname, "../../../test/processes/hold-embedded.ts");
/** Milliseconds that another process, or a server, may take. */
const PATIENCE_MS = 60_000;

let base: string;
let dataDir: string;
beforeEach(async () => {
	base = await openDataPlace("beside");
	dataDir = join(base, "data");
	await makeDataFolder(dataDir);
});
afterEach(async () => {
	await killAll();
	await stopServersBelow(base);
	await rm(base, { recursive: true, force: true });
});

/**
 * Starts a service's server, and calls `meanwhile` after the server was spawned and before the start checks it again.
 */
async function startAround(meanwhile: () => void): Promise<EmbeddedPostgres> {
	let done = false;
	const onWaiting = (): void => {
		if (done) return;
		done = true;
		meanwhile(); // this process does nothing else until then, like one that loads its libraries
	};
	const embedded = await openEmbedded({ dataDir, role: "service", onWaiting });
	expect(done).toBe(true);
	return embedded;
}

const pidFile = (): string => join(dataDir, "postgres/postmaster.pid");
const nap = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);

describe("a server that is being started", () => {
	test("is not stopped by a command that used it and ends before its starter does", async () => {
		let visitor: ReturnType<typeof spawnSync> | undefined;
		const embedded = await startAround(() => {
			visitor = spawnSync(process.execPath, [PROGRAM, dataDir, "visitor"], { timeout: PATIENCE_MS, encoding: "utf8" });
		});
		const { pid } = JSON.parse(String(visitor?.stdout).trim().split("\n").at(-1) ?? "").ready as { pid: number };
		expect([visitor?.status, pid]).toEqual([0, embedded.pid()]);
		expect(await ask(embedded.url, "select 1 as one")).toEqual([{ one: 1 }]);
		await embedded.close();
		expect(isAlive(pid)).toBe(false);
	});

	test("is started again when somebody else stops it meanwhile", async () => {
		let stopped = 0;
		const embedded = await startAround(() => {
			const giveUpAt = performance.now() + PATIENCE_MS;
			const lines = (): string[] => readFileSync(pidFile(), "utf8").split("\n");
			while (!(existsSync(pidFile()) && lines()[7]?.trim() === "ready")) {
				if (performance.now() > giveUpAt) throw new Error("the server did not come up");
				nap();
			}
			stopped = Number(lines()[0]);
			process.kill(stopped, "SIGINT");
			while (existsSync(pidFile())) nap();
		});
		expect(stopped).toBeGreaterThan(0);
		expect(embedded.pid()).not.toBe(stopped);
		expect(await ask(embedded.url, "select 1 as one")).toEqual([{ one: 1 }]);
		await embedded.close();
	});
});
