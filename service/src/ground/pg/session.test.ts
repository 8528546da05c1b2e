import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../../test/house.ts";
import { openServerPlace } from "../../../test/server-place.ts";
import { type EmbeddedPostgres, openEmbedded } from "../embedded/embedded.ts";
import { openDatabase } from "./connect.ts";
import { NotDurable } from "./session.ts";

/* Durability of a session, on a durable server of the test's own. */

let folder: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
	folder = await openServerPlace("session");
	server = await openEmbedded({ dataDir: join(folder, "data"), role: "tool" });
});
afterAll(async () => {
	await server.close();
	await rm(folder, { recursive: true, force: true });
});

describe("a session that must be durable", () => {
	it("commits to disk before it is acknowledged, whatever the server's default becomes meanwhile", async () => {
		const db = openDatabase(server.url, { max: 1, durability: "required" });
		const plain = openDatabase(server.url, { max: 1 });
		const setting = async (of: typeof db) =>
			(await of.query("select setting, source from pg_settings where name = 'synchronous_commit'")).rows[0];
		expect(await setting(db)).toEqual({ setting: "on", source: "session" });
		await plain.query("alter database postgres set synchronous_commit = off");
		expect(await setting(db)).toEqual({ setting: "on", source: "session" });
		const fresh = openDatabase(server.url, { max: 1, durability: "required" });
		expect(await setting(fresh)).toEqual({ setting: "on", source: "session" });
		await plain.query("alter database postgres set synchronous_commit = remote_apply");
		const stricter = openDatabase(server.url, { max: 1, durability: "required" });
		expect(await setting(stricter)).toEqual({ setting: "remote_apply", source: "session" });
		await plain.query("alter database postgres reset synchronous_commit");
		await Promise.all([db, plain, fresh, stricter].map((one) => one.close()));
	});

	it("is refused by a server without fsync, on each new connection", async () => {
		const { url, close } = await openTestDatabase(); // its server is fast, not durable
		const db = openDatabase(url, { max: 1, durability: "required" });
		const tool = openDatabase(url, { max: 1, durability: "preferred" });
		expect((await tool.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }]);
		await tool.close();
		await expect(db.query("select 1")).rejects.toBeInstanceOf(NotDurable);
		await expect(db.query("select 1")).rejects.toThrow("fsync = off");
		await db.close();
		await close();
	});
});
