import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { makeDataFolder, openDataPlace } from "../data-folder.ts";
import { openTestDatabase, startProcess } from "../house.ts";
import { type Child, killAll, LAUNCHER, shellWith, start, until } from "../processes/child.ts";
import { hold, ready, startupAfterCrash, stopServersBelow } from "../processes/server-folder.ts";

/** Milliseconds. */
const TIMEOUT_MS = 180_000;
const SYSTEMD_NOTIFY = "/usr/bin/systemd-notify";
/** Listens as systemd does, prints each line that it is told, and closes the descriptors that come with a barrier. */
const RECEIVE_NOTIFICATIONS = `
import array, os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
while True:
    text, controls, _, _ = receiver.recvmsg(4096, socket.CMSG_SPACE(64))
    print(text.decode(), flush=True)
    for _, _, data in controls:
        for descriptor in array.array("i", data[:len(data) // 4 * 4]): os.close(descriptor)
`;
const ANY_PORTS = { HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" };

let base: string;
beforeEach(async () => {
	base = await openDataPlace("start");
});
afterEach(async () => {
	await killAll();
	await stopServersBelow(base);
	await rm(base, { recursive: true, force: true });
});

function serve(dataDir: string, settings: NodeJS.ProcessEnv = {}): Child {
	const env = shellWith({ ...ANY_PORTS, HOLDFAST_DATA_DIR: dataDir, ...settings });
	return start(process.execPath, [LAUNCHER, "start"], { env });
}

test.skipIf(!existsSync(SYSTEMD_NOTIFY))("systemd is told when the service is ready, and when it stops", async () => {
	const socket = join(base, "notify.sock");
	const systemd = start("python3", ["-c", RECEIVE_NOTIFICATIONS, socket]);
	await until("the socket to be there", () => existsSync(socket));
	const dataDir = join(base, "data");
	await makeDataFolder(dataDir);
	const child = serve(dataDir, { NOTIFY_SOCKET: socket });
	await until("the service to be ready", () => systemd.lines.includes("READY=1"));
	expect(child.errors.some((line) => line.startsWith("Holdfast serves"))).toBe(true);
	expect(await child.stop()).toBe(0);
	await until("the stop to be told", () => systemd.lines.includes("STOPPING=1"));
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
