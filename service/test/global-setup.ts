import { mkdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openEmbedded } from "../src/ground/embedded/embedded.ts";
import { migrate } from "../src/ground/pg/migrate.ts";
import { leaksInFolder } from "./leaks/find-in-files.ts";
import { finderOfKnown, takeOver } from "./leaks/secrets.ts";
import { openServerPlace } from "./server-place.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** The server of this test run; its default database is empty. */
		testServerUrl: string;
		/** Holds the files of this run, and is removed at its end. */
		runFolder: string;
		/** Where each test file leaves the secrets that it has made. */
		secretsFolder: string;
	}
}

/** The template of every test database, migrated once per run. */
export const TEMPLATE_DATABASE = "holdfast_template";

/** One PostgreSQL for a whole test run. It is not durable; tests of durability start their own. */
const FAST_SETTINGS = {
	fsync: "off",
	synchronous_commit: "off",
	full_page_writes: "off",
	max_connections: "300",
	shared_buffers: "128MB",
};

/** A file system in memory, where there is one, and the bytes that must be free in it. */
const IN_MEMORY = "/dev/shm";
const ROOM_IN_MEMORY = 8 * 2 ** 30;

/**
 * The folder of the server's files. A database has some 600 of them. If as many files were removed in the last seconds,
 * ext4 takes almost half a second to create them, because it skips recently removed inodes. Tests of durability have a
 * server of their own, on the disk.
 */
async function placeOfServer(): Promise<string> {
	const free = await statfs(IN_MEMORY).then(
		({ bavail, bsize }) => bavail * bsize,
		() => 0,
	);
	return free >= ROOM_IN_MEMORY ? IN_MEMORY : tmpdir();
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
	const folder = await openServerPlace("test", await placeOfServer());
	const dataDir = join(folder, "data");
	const secretsFolder = join(folder, "secrets");
	await mkdir(secretsFolder);
	const postgres = await openEmbedded({ dataDir, role: "tool", settings: FAST_SETTINGS });
	try {
		await makeTemplate(postgres.url);
	} catch (error) {
		await postgres.close();
		throw error;
	}
	project.provide("testServerUrl", postgres.url);
	project.provide("runFolder", folder);
	project.provide("secretsFolder", secretsFolder);
	return async () => {
		await postgres.close();
		takeOver(secretsFolder);
		// databases were searched when they were dropped; what remains is the WAL and the server's own log
		const leaks = leaksInFolder(finderOfKnown(), dataDir);
		await rm(folder, { recursive: true, force: true });
		if (leaks.length > 0) throw new Error(leaks.join("\n"));
	};
}

async function makeTemplate(serverUrl: string): Promise<void> {
	const client = new pg.Client(serverUrl);
	await client.connect();
	await client.query(`create database ${TEMPLATE_DATABASE}`);
	// the tests make thousands of connections, and the client derives a key for each in this many iterations
	await client.query("set scram_iterations = 1");
	const [user, password] = [client.user ?? "", String(client.password)];
	await client.query(`alter role ${client.escapeIdentifier(user)} password ${client.escapeLiteral(password)}`);
	await client.end();
	await migrate(databaseUrl(serverUrl, TEMPLATE_DATABASE));
}

/** The same server, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
	return serverUrl.replace(/@\/[^?]*/, `@/${database}`);
}
