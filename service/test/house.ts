import pg from "pg";
import { inject } from "vitest";
import { type Database, openDatabase } from "../src/pg/connect.ts";
import { databaseUrl, TEMPLATE_DATABASE } from "./global-setup.ts";

export interface TestDatabase {
	readonly url: string;
	readonly db: Database;
	/** Drops the database. */
	close(): Promise<void>;
}

let databases = 0;

/** A fresh, migrated database of the run's one PostgreSQL, in some 50 ms. */
export async function openTestDatabase(): Promise<TestDatabase> {
	const serverUrl = inject("testServerUrl");
	const name = `test_${process.pid}_${++databases}`;
	await onServer(serverUrl, `create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`);
	const url = databaseUrl(serverUrl, name);
	const db = openDatabase(url, { name: "test" });
	return {
		url,
		db,
		close: async () => {
			await db.close();
			await onServer(serverUrl, `drop database ${name} with (force)`);
		},
	};
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
	const client = new pg.Client(serverUrl);
	await client.connect();
	try {
		await client.query(statement);
	} finally {
		await client.end();
	}
}
