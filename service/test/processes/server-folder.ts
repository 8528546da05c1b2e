import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import pg from "pg";
import { endOrphans } from "../../src/ground/embedded/end.ts";
import { childrenOf, isPostmasterOf, type Seen, startupOf } from "../../src/ground/embedded/processes.ts";
import { type Child, start, until } from "./child.ts";

const PROGRAM = join(import.meta.dirname, "hold-embedded.ts");

/** The message of a process when its embedded server is ready. */
export interface Ready {
	readonly url: string;
	readonly pid: number;
}

/** A real process that uses the embedded server of a folder until it is stopped or killed. */
export const hold = (dataDir: string, role = "tool", settings: { uid?: number; gid?: number } = {}): Child =>
	start(process.execPath, [PROGRAM, dataDir, role], settings);

type Line = { say?: string; ready?: Ready; error?: string };
const parsed = (child: Child): Line[] => child.lines.map((line) => JSON.parse(line) as Line);

/** Its messages for the person at the terminal. */
export const said = (child: Child): string =>
	parsed(child)
		.flatMap(({ say }) => say ?? [])
		.join("\n");

export const errorOf = (child: Child): Promise<string> =>
	until("an error", () => parsed(child).find(({ error }) => error)?.error);

export async function ready(child: Child): Promise<Ready> {
	return until(`the server (${child.lines.join()} ${child.errors.join()})`, () => {
		if (child.process.exitCode !== null) throw new Error(`ended: ${child.lines.join()} ${child.errors.join("\n")}`);
		return parsed(child).find((line) => line.ready)?.ready;
	});
}

/** One statement on a connection of its own. */
export async function ask<R extends object>(url: string, text: string): Promise<R[]> {
	const client = new pg.Client(url);
	client.on("error", () => undefined);
	await client.connect();
	try {
		return (await client.query<R>(text)).rows;
	} finally {
		await client.end();
	}
}

/** Rows of the table `recovered`: enough for a recovery that lasts long enough to be interrupted. */
export const ROWS = 200_000;

/** Kills a backend of the server and returns the startup process of the following recovery while it runs. */
export async function startupAfterCrash({ url, pid }: Ready): Promise<Seen> {
	const client = new pg.Client(url);
	client.on("error", () => undefined);
	await client.connect();
	const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
	await client.query(
		`create table recovered as select n, repeat('x', 200) as filler from generate_series(1, ${ROWS}) n`,
	);
	const backend = childrenOf(pid)?.find((seen) => seen.pid === rows[0]?.pid);
	if (!backend) throw new Error("the backend is no child of the server");
	process.kill(backend.pid, "SIGKILL");
	const giveUpAt = performance.now() + CATCH_MS;
	while (performance.now() < giveUpAt) {
		const startup = startupOf(childrenOf(pid) ?? []);
		if (startup !== null) return startup;
		await new Promise(setImmediate);
	}
	throw new Error("the recovery was not caught at work");
}

/** Milliseconds within which a running startup process must be found. */
const CATCH_MS = 20_000;

/** Ends the processes that a failed test left running below a folder. */
export async function stopServersBelow(folder: string): Promise<void> {
	for (const entry of await readdir(folder, { recursive: true })) {
		if (!entry.endsWith("postmaster.pid")) continue;
		const pgData = await realpath(dirname(join(folder, entry)));
		const pid = Number((await readFile(join(folder, entry), "utf8")).split("\n")[0]);
		if (isPostmasterOf(pid, pgData)) process.kill(pid, "SIGKILL");
		await endOrphans(pgData);
	}
}
