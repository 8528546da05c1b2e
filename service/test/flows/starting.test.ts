import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { makeDataFolder } from "../data-folder.ts";
import { openTestDatabase, startProcess } from "../house.ts";
import { type Child, killAll, start, until } from "../processes/child.ts";
import { hold, ready, startupAfterCrash, stopServersBelow } from "../processes/server-folder.ts";
import { openServerPlace } from "../server-place.ts";

const LAUNCHER = join(import.meta.dirname, "../../../cli/bin/holdfast.js");
/** Milliseconds. */
const TIMEOUT_MS = 180_000;
const ANY_PORTS = { HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" };

let base: string;
beforeEach(async () => {
	base = await openServerPlace("start");
});
afterEach(async () => {
	await killAll();
	await stopServersBelow(base);
	await rm(base, { recursive: true, force: true });
});

function serve(dataDir: string): Child {
	const shell = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
	const env = { ...Object.fromEntries(shell), ...ANY_PORTS, HOLDFAST_DATA_DIR: dataDir };
	return start(process.execPath, [LAUNCHER, "start"], { env });
}

test("a data folder that can never be made is refused in a line", async () => {
	const child = serve("/proc/holdfast");
	expect(await child.exited).toBe(1);
	expect(child.errors).toHaveLength(1);
	expect(child.errors[0]).toMatch(/^The data folder \/proc\/holdfast cannot be created: .* Set HOLDFAST_DATA_DIR/);
});

test("SIGTERM is obeyed by a start that waits for a recovery", { timeout: TIMEOUT_MS }, async () => {
	const dataDir = join(base, "data");
	await makeDataFolder(dataDir);
	const first = hold(dataDir);
	const startup = await startupAfterCrash(await ready(first));
	process.kill(startup.pid, "SIGSTOP");
	await first.kill();
	const child = serve(dataDir);
	await until("the wait to be said", () => child.errors.some((line) => line.startsWith("Waiting for PostgreSQL")));
	expect(await child.stop()).toBe(0);
	expect(child.errors.at(-1)).toBe("Stopped before it was ready.");
	process.kill(startup.pid, "SIGCONT");
});

test("two services that start at once on an empty database of the operator's own both serve", async () => {
	const database = await openTestDatabase();
	const name = `starting_${process.pid}`;
	await database.db.query(`create database ${name}`);
	const env = {
		...ANY_PORTS,
		HOLDFAST_DATABASE_URL: database.url.replace(/@\/[^?]*/, `@/${name}`),
		HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
		HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true", // the server of the test run is fast instead
	};
	const nodes = await Promise.all([startProcess(env), startProcess(env)]);
	for (const { api } of nodes) expect((await fetch(`${api}/readyz`)).status).toBe(200);
	await Promise.all(nodes.map((node) => node.stop()));
	await database.db.query(`drop database ${name} with (force)`);
	await database.close();
});
