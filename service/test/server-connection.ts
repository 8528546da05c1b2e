import type pg from "pg";
import { inject } from "vitest";

let open: Promise<pg.Client> | null = null;

/** Runs a statement in the default database of the run's server, on a connection that a test file opens once. */
export async function onServer(statement: string): Promise<Record<string, unknown>[]> {
	open ??= connect();
	return (await (await open).query<Record<string, unknown>>(statement)).rows;
}

async function connect(): Promise<pg.Client> {
	const { default: driver } = await import("pg"); // most test files need no server
	const client = new driver.Client(inject("testServerUrl"));
	client.on("error", () => {
		open = null;
	});
	await client.connect();
	return client;
}

/** Closes the connection, if there is one. */
export async function leaveServer(): Promise<void> {
	const left = open;
	open = null;
	await (await left)?.end();
}
