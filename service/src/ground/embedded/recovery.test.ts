import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDataFolder } from "../../../test/data-folder.ts";
import { isAlive, killAll, until } from "../../../test/processes/child.ts";
import {
	ask,
	hold,
	ROWS,
	ready,
	said,
	startupAfterCrash,
	stopServersBelow,
} from "../../../test/processes/server-folder.ts";
import { openServerPlace } from "../../../test/server-place.ts";
import { openEmbedded } from "./embedded.ts";
import { NO_STARTUP_MS } from "./watch.ts";

/** Milliseconds: detecting a hanging server takes ten seconds, and a recovery follows. */
const TIMEOUT_MS = 180_000;

let base: string;
beforeAll(async () => {
	base = await openServerPlace("recovery");
});
afterAll(async () => {
	await killAll();
	await stopServersBelow(base);
	await rm(base, { recursive: true, force: true });
});

/** A data folder of this name. */
async function madeFolder(name: string): Promise<string> {
	const dataDir = join(base, name);
	await makeDataFolder(dataDir);
	return dataDir;
}

const ROWS_RECOVERED = "select count(*)::int as n from recovered";

// together, because each of them mostly waits
describe.concurrent("a recovery", { timeout: TIMEOUT_MS }, () => {
	test("whose startup process was killed is begun anew with another server, under the same address", async () => {
		const child = hold(await madeFolder("wedged"), "service");
		const server = await ready(child);
		process.kill((await startupAfterCrash(server)).pid, "SIGKILL");
		await until("the server to be back", () => said(child).includes("PostgreSQL is running again"));
		expect(said(child)).toMatch(/without a startup process for \d+ s: it will never accept connections/);
		expect(isAlive(server.pid)).toBe(false);
		expect(await ask<{ n: number }>(server.url, ROWS_RECOVERED)).toEqual([{ n: ROWS }]);
		expect(await child.stop()).toBe(0);
	});

	test("whose startup process was killed is begun anew by the next start, when its user was killed too", async () => {
		const dataDir = await madeFolder("adopted");
		const first = hold(dataDir, "service");
		const server = await ready(first);
		process.kill((await startupAfterCrash(server)).pid, "SIGKILL");
		await first.kill();
		const next = hold(dataDir, "service");
		const again = await ready(next);
		expect(again.pid).not.toBe(server.pid);
		expect(isAlive(server.pid)).toBe(false);
		expect(await ask<{ n: number }>(again.url, ROWS_RECOVERED)).toEqual([{ n: ROWS }]);
		expect(await next.stop()).toBe(0);
	});

	test("whose startup process lives is waited for, however slow it is, and what is waited for is said", async () => {
		const child = hold(await madeFolder("slow"), "service");
		const server = await ready(child);
		const startup = await startupAfterCrash(server);
		process.kill(startup.pid, "SIGSTOP");
		await sleep(NO_STARTUP_MS + 3_000);
		expect(said(child)).toContain(`recovering (in process ${startup.pid})`);
		process.kill(startup.pid, "SIGCONT");
		await until("the server to be back", () =>
			said(child).includes(`PostgreSQL is running again (process ${server.pid})`),
		);
		expect(await ask<{ n: number }>(server.url, ROWS_RECOVERED)).toEqual([{ n: ROWS }]);
		expect(await child.stop()).toBe(0);
	});

	test("that is waited for does not keep a user from closing", async () => {
		const child = hold(await madeFolder("closed"), "service");
		const startup = await startupAfterCrash(await ready(child));
		process.kill(startup.pid, "SIGSTOP");
		await until("the loss to be noticed", () => said(child).includes("PostgreSQL stopped: starting it again"));
		expect(await child.stop()).toBe(0);
		expect(said(child)).toContain("the next start takes it over");
		process.kill(startup.pid, "SIGCONT");
		const next = hold(join(base, "closed"), "service");
		await ready(next);
		expect(await next.stop()).toBe(0);
	});

	test("that is waited for at a start can be called off", async () => {
		const dataDir = await madeFolder("called-off");
		const first = hold(dataDir);
		const startup = await startupAfterCrash(await ready(first));
		process.kill(startup.pid, "SIGSTOP");
		await first.kill();
		const off = new AbortController();
		const opening = openEmbedded({ dataDir, role: "tool", signal: off.signal });
		off.abort(new Error("called off"));
		await expect(opening).rejects.toThrow("called off");
		process.kill(startup.pid, "SIGCONT");
		const next = hold(dataDir);
		await ready(next);
		expect(await next.stop()).toBe(0);
	});
});

test("a process of a killed server that does not end by itself is ended, and the server comes back", {
	timeout: TIMEOUT_MS,
}, async () => {
	const child = hold(await madeFolder("leftover"), "service");
	const { pid, url } = await ready(child);
	const stuck = ask(url, "select pg_sleep(3600)").catch(() => undefined);
	const backend = await until("the stuck statement", async () => {
		const text = "select pid from pg_stat_activity where query = 'select pg_sleep(3600)'";
		return (await ask<{ pid: number }>(url, text))[0];
	});
	process.kill(backend.pid, "SIGSTOP");
	process.kill(pid, "SIGKILL");
	await until("the server to be back", () => said(child).includes("PostgreSQL is running again"));
	expect(said(child)).toContain("ending them");
	expect(isAlive(backend.pid)).toBe(false);
	await stuck;
	expect(await ask(url, "select 1 as one")).toEqual([{ one: 1 }]);
	expect(await child.stop()).toBe(0);
});
