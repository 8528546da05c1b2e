import { chown, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeDataFolder, openDataPlace } from "../../../test/data-folder.ts";
import { isAlive, killAll, until } from "../../../test/processes/child.ts";
import { ask, errorOf, hold, ready, said, stopServersBelow } from "../../../test/processes/server-folder.ts";
import { sizeOr } from "../../../test/sizes.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { openEmbedded } from "./embedded.ts";
import { explainTrouble } from "./folder.ts";

const AS_ROOT = process.getuid?.() === 0;
/** How often processes race each other for one data folder. */
const ROUNDS = sizeOr(10, 1);

let base: string;
beforeEach(async () => {
	base = await openDataPlace("pg");
});
afterEach(async () => {
	await killAll();
	await stopServersBelow(base);
	await rm(base, { recursive: true, force: true });
});

describe("a new data folder", () => {
	test("gets a durable server with checksums that listens on no network address", async () => {
		const embedded = await openEmbedded({ dataDir: join(base, "data"), role: "service" });
		const [settings] = await ask<Record<string, string>>(
			embedded.url,
			`select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
			current_setting('synchronous_commit') as synchronous_commit, current_setting('data_checksums') as data_checksums,
			current_setting('listen_addresses') as listen_addresses, current_setting('server_encoding') as server_encoding`,
		);
		await embedded.close();
		expect(settings).toEqual({
			fsync: "on",
			full_page_writes: "on",
			synchronous_commit: "on",
			data_checksums: "on",
			listen_addresses: "",
			server_encoding: "UTF8",
		});
		expect((await stat(join(base, "data/postgres-password"))).mode & 0o777).toBe(0o600);
		expect(isAlive(embedded.pid())).toBe(false);
	});

	test("may have spaces, quotes, commas and other letters in its name, and a path longer than a socket's may be", async () => {
		const dataDir = join(base, "a".repeat(60), "b".repeat(60), `my data, "Füße" & 100%`);
		const embedded = await openEmbedded({ dataDir, role: "tool" });
		expect(await ask(embedded.url, "select 1 as one")).toEqual([{ one: 1 }]);
		await embedded.close();
	});

	test("opened by four processes at once becomes one cluster that all of them use", async () => {
		const dataDir = join(base, "data");
		const children = [1, 2, 3, 4].map(() => hold(dataDir));
		const servers = await Promise.all(children.map(ready));
		expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1);
		await Promise.all(servers.map(({ url }) => ask(url, "select 1")));
		await Promise.all(children.map((child) => child.stop()));
		expect(isAlive(servers[0]?.pid ?? 0)).toBe(false);
		expect((await readdir(dataDir)).toSorted()).toEqual(["postgres", "postgres-password", "postgres.log"]);
	});

	test("whose making was cut short is made anew, and the remains are removed", async () => {
		const dataDir = join(base, "data");
		const child = hold(dataDir);
		await until("initdb to begin", async () =>
			(await readdir(dataDir).catch(() => [])).find((name) => /half-/.test(name)),
		);
		await child.kill();
		const again = hold(dataDir);
		await ready(again);
		await again.stop();
		expect((await readdir(dataDir)).filter((name) => name.includes("half-"))).toEqual([]);
	});

	test.runIf(AS_ROOT)(
		"below a folder closed to others works as root, with the files elsewhere and a link to them",
		async () => {
			const closed = join(base, "closed");
			await mkdir(closed, { mode: 0o700 });
			const dataDir = join(closed, "data");
			const child = hold(dataDir);
			const { url } = await ready(child);
			expect(said(child)).toContain("cannot reach");
			await ask(url, "create table kept as select 7 as seven");
			await child.stop();
			const files = await realpath(join(dataDir, "postgres"));
			try {
				expect(files.startsWith(closed)).toBe(false);
				const again = hold(dataDir);
				expect(await ask((await ready(again)).url, "select seven from kept")).toEqual([{ seven: 7 }]);
				await again.stop();
			} finally {
				await rm(dirname(files), { recursive: true, force: true });
			}
		},
	);

	test.runIf(AS_ROOT)("that was closed to others is used where it is when nothing above it is closed", async () => {
		const dataDir = join(base, "data");
		await mkdir(dataDir, { mode: 0o700 });
		const embedded = await openEmbedded({ dataDir, role: "tool" });
		await embedded.close();
		expect(embedded.pgData).toBe(join(dataDir, "postgres"));
		expect((await stat(dataDir)).mode & 0o777).toBe(0o711); // others may traverse the folder, but not read it
	});

	test.runIf(AS_ROOT)("works without being root, and root can go on with it afterwards", async () => {
		const home = join(base, "home");
		await mkdir(home, { mode: 0o755 });
		await chown(home, 65_534, 65_534);
		const dataDir = join(home, "data");
		const child = hold(dataDir, "tool", { uid: 65_534, gid: 65_534 });
		await ask((await ready(child)).url, "create table kept as select 7 as seven");
		await child.stop();
		const asRoot = hold(dataDir);
		expect(await ask((await ready(asRoot)).url, "select seven from kept")).toEqual([{ seven: 7 }]);
		await asRoot.stop();
		const asUser = hold(dataDir, "tool", { uid: 65_534, gid: 65_534 });
		await ready(asUser);
		await asUser.stop();
	});
});

describe("after a SIGKILL", () => {
	beforeEach(() => makeDataFolder(join(base, "data")));

	test("of its user, the server goes on alone, is taken over by the next and stopped by it", async () => {
		const dataDir = join(base, "data");
		const first = hold(dataDir, "service");
		const { pid, url } = await ready(first);
		await ask(url, "create table kept as select 7 as seven");
		await first.kill();
		expect(isAlive(pid)).toBe(true);
		const second = hold(dataDir, "service");
		const adopted = await ready(second);
		expect(adopted.pid).toBe(pid);
		expect(said(second)).toContain(`process ${pid}`);
		expect(await ask(adopted.url, "select seven from kept")).toEqual([{ seven: 7 }]);
		await second.stop();
		expect(isAlive(pid)).toBe(false);
	});

	test("of the server, its user starts it again and reaches it under the same address", async () => {
		const child = hold(join(base, "data"), "service");
		const { pid, url } = await ready(child);
		await ask(url, "create table kept as select 7 as seven");
		for (const round of [1, 2, 3]) {
			const killed = round === 1 ? pid : Number(/process (\d+)\)\.$/.exec(said(child))?.[1]);
			process.kill(killed, "SIGKILL");
			await until("the server to be back", () => said(child).split("PostgreSQL is running again").length === round + 1);
			expect(await ask(url, "select seven from kept")).toEqual([{ seven: 7 }]);
		}
		await child.stop();
	});

	test("of the server while statements run, it comes back although its old processes linger", async () => {
		const child = hold(join(base, "data"), "service");
		const { pid, url } = await ready(child);
		// a busy backend notices the death of its server only when it next waits
		const busy = ask(url, "select sum(n) from generate_series(1, 20000000) n").catch(() => undefined);
		await until("the busy statement", async () => {
			const rows = await ask(
				url,
				"select 1 from pg_stat_activity where query like 'select sum(n)%' and state = 'active'",
			);
			return rows.length > 0;
		});
		process.kill(pid, "SIGKILL");
		await until("the server to be back", () => said(child).includes("PostgreSQL is running again"));
		expect(await ask(url, "select 1 as one")).toEqual([{ one: 1 }]);
		await busy;
		await child.stop();
	});

	test("of both, the next start recovers what was committed and says so", async () => {
		const dataDir = join(base, "data");
		const child = hold(dataDir, "service");
		const { pid, url } = await ready(child);
		await ask(url, "create table kept as select 7 as seven");
		process.kill(pid, "SIGKILL");
		await child.kill();
		const next = hold(dataDir, "service");
		const server = await ready(next);
		expect(server.pid).not.toBe(pid);
		expect(said(next)).toContain("was not stopped properly");
		expect(await ask(server.url, "select seven from kept")).toEqual([{ seven: 7 }]);
		await next.stop();
	});

	test("a lock file whose number now belongs to another process is recognised and removed", async () => {
		const dataDir = join(base, "data");
		const embedded = await openEmbedded({ dataDir, role: "tool" });
		const pidFile = join(embedded.pgData, "postmaster.pid");
		const text = await readFile(pidFile, "utf8");
		await embedded.close();
		await writeFile(pidFile, text.replace(/^\d+/, String(process.pid))); // alive, but not a PostgreSQL
		const child = hold(dataDir);
		await ready(child);
		expect(said(child)).toContain(`process ${process.pid} is gone`);
		await child.stop();
	});
});

describe("several users of one data folder", () => {
	beforeEach(() => makeDataFolder(join(base, "data")));

	test("who start at once on a stale lock file get one server, and its own lock file stays", async () => {
		const dataDir = join(base, "data");
		const embedded = await openEmbedded({ dataDir, role: "tool" });
		const pidFile = join(embedded.pgData, "postmaster.pid");
		const stale = (await readFile(pidFile, "utf8")).replace(/^\d+/, String(process.pid));
		await embedded.close();
		for (let round = 0; round < ROUNDS; round++) {
			await writeFile(pidFile, stale);
			const children = [1, 2, 3, 4].map(() => hold(dataDir));
			const servers = await Promise.all(children.map(ready));
			expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1);
			expect((await readFile(pidFile, "utf8")).split("\n")[0]).toBe(String(servers[0]?.pid));
			expect(children.filter((child) => said(child).includes("was not stopped properly"))).toHaveLength(1);
			await Promise.all(children.map((child) => child.stop()));
		}
	});

	test("a second service is refused, and told which process is the first", async () => {
		const dataDir = join(base, "data");
		const first = hold(dataDir, "service");
		const { pid } = await ready(first);
		const second = hold(dataDir, "service");
		const error = await errorOf(second);
		expect(error).toContain(`process ${first.pid}`);
		expect(error).toContain(dataDir);
		expect(error).toContain("HOLDFAST_DATA_DIR");
		expect(await second.exited).toBe(1);
		expect(isAlive(pid)).toBe(true);
		await first.stop();
	});

	test("whoever leaves last stops the server, in whatever order they leave", async () => {
		const dataDir = join(base, "data");
		const service = hold(dataDir, "service");
		const { pid, url } = await ready(service);
		const tool = hold(dataDir);
		expect((await ready(tool)).pid).toBe(pid);
		await service.stop();
		expect(await ask(url, "select 1 as one")).toEqual([{ one: 1 }]);
		await tool.stop();
		expect(isAlive(pid)).toBe(false);
	});

	test("two data folders have two servers at once", async () => {
		await makeDataFolder(join(base, "other"));
		const [one, two] = [hold(join(base, "data"), "service"), hold(join(base, "other"), "service")];
		const [first, second] = [await ready(one), await ready(two)];
		expect(first.pid).not.toBe(second.pid);
		await ask(first.url, "create table only_here ()");
		await expect(ask(second.url, "select from only_here")).rejects.toThrow("does not exist");
		await Promise.all([one.stop(), two.stop()]);
	});

	test("leaving and arriving at the same moment loses nobody: the newcomer has a server", async () => {
		const dataDir = join(base, "data");
		for (let round = 0; round < ROUNDS; round++) {
			const leaving = hold(dataDir);
			await ready(leaving);
			leaving.process.kill("SIGTERM");
			const arriving = hold(dataDir);
			expect(await ask((await ready(arriving)).url, "select 1 as one")).toEqual([{ one: 1 }]);
			await leaving.exited;
			expect(await arriving.stop()).toBe(0);
		}
	});
});

describe("what cannot work is refused in a sentence", () => {
	test("binaries that are not there", async () => {
		const opening = openEmbedded({ dataDir: join(base, "data"), role: "tool", pgBin: base });
		await expect(opening).rejects.toThrow(`HOLDFAST_PG_BIN: ${base}/initdb`);
	});

	test("a data folder below one in which nothing can be made", async () => {
		const opening = openEmbedded({ dataDir: "/proc/holdfast/data", role: "tool" });
		await expect(opening).rejects.toThrow(
			/^The data folder \/proc\/holdfast\/data cannot be created: ENOENT.* Set HOLDFAST_DATA_DIR/,
		);
	});

	test.runIf(AS_ROOT)("a data folder of another account, naming both", async () => {
		const dataDir = join(base, "data");
		await makeDataFolder(dataDir);
		const stranger = hold(dataDir, "tool", { uid: 65_534, gid: 65_534 });
		expect(await errorOf(stranger)).toMatch(
			/^The data folder \S+ belongs to root, and Holdfast runs as nobody, which may not use .*postgres-password \(EACCES\)/,
		);
		const closed = join(base, "closed");
		await mkdir(closed, { mode: 0o700 });
		expect(await errorOf(hold(closed, "tool", { uid: 65_534, gid: 65_534 }))).toContain("belongs to root");
	});

	test.runIf(AS_ROOT)("a data folder that its own account may not write", async () => {
		const dataDir = join(base, "data");
		await mkdir(dataDir, { mode: 0o500 });
		await chown(dataDir, 65_534, 65_534);
		expect(await errorOf(hold(dataDir, "tool", { uid: 65_534, gid: 65_534 }))).toMatch(
			/^The data folder \S+ cannot be used: Holdfast runs as nobody, which may not use .* \(EACCES\)/,
		);
	});

	test("a data folder on a file system that is mounted read-only", async () => {
		const error = Object.assign(new Error("read-only file system"), { code: "EROFS", path: join(base, "data/x") });
		const told = await explainTrouble(join(base, "data"), error);
		expect(told).toBeInstanceOf(OperatorError);
		expect(String(told)).toContain("mounted read-only");
	});

	test("a cluster of another major version", async () => {
		const dataDir = join(base, "data");
		await makeDataFolder(dataDir);
		await writeFile(join(dataDir, "postgres/PG_VERSION"), "12\n");
		await expect(openEmbedded({ dataDir, role: "tool" })).rejects.toThrow(/created by PostgreSQL 12.*HOLDFAST_PG_BIN/);
	});

	test("durability that was switched off in the server's own configuration is switched on again", async () => {
		const dataDir = join(base, "data");
		await makeDataFolder(dataDir);
		const before = await openEmbedded({ dataDir, role: "tool" });
		await ask(before.url, "alter system set fsync = off");
		await before.close();
		const after = await openEmbedded({ dataDir, role: "tool" });
		expect(await ask(after.url, "select current_setting('fsync') as fsync")).toEqual([{ fsync: "on" }]);
		await after.close();
	});

	test("a password that is not the server's, and no server is left running for it", async () => {
		const dataDir = join(base, "data");
		await makeDataFolder(dataDir);
		await rm(join(dataDir, "postgres-password"));
		await expect(openEmbedded({ dataDir, role: "tool" })).rejects.toThrow(
			/^The password in \S+postgres-password is not that of the database in/,
		);
		expect(await readdir(join(dataDir, "postgres"))).not.toContain("postmaster.pid");
	});

	test("a server that does not start: the last lines of its log are shown", async () => {
		const dataDir = join(base, "data");
		await makeDataFolder(dataDir);
		await writeFile(join(dataDir, "postgres/postgresql.conf"), "shared_buffers = 'all of it'\n");
		await expect(openEmbedded({ dataDir, role: "tool" })).rejects.toThrow(/did not start[\s\S]*shared_buffers/);
	});
});
