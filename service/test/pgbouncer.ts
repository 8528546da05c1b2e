import { existsSync, statSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { answers } from "../src/partners/http/listen-on-socket.ts";
import { start, until } from "./processes/child.ts";

/** Debian's pgbouncer; `.ci/run` installs it. */
const PGBOUNCER = "/usr/sbin/pgbouncer";

/** Tests of poolers need pgbouncer; without it they are skipped, but never in CI. */
export const hasPgbouncer = existsSync(PGBOUNCER) || process.env.CI !== undefined;

export interface Pgbouncer {
	/** Address of the same database through the pooler. */
	readonly url: string;
	close(): Promise<void>;
}

/**
 * A real pgbouncer in front of a database of the run's server, with these settings in addition to the required ones.
 */
export async function openPgbouncer(serverUrl: string, settings: Record<string, string | number>): Promise<Pgbouncer> {
	const folder = await mkdtemp(join(tmpdir(), "holdfast-pooler-"));
	const { host: socketDir, port, user = "", password, database = "" } = new pg.Client(serverUrl);
	const lines = [
		"[databases]",
		`* = host=${socketDir} port=${port} user=${user} password=${String(password)}`,
		"[pgbouncer]",
		`unix_socket_dir = ${folder}`,
		"unix_socket_mode = 0777",
		"listen_port = 6432",
		"auth_type = any",
		...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
	];
	const config = join(folder, "pgbouncer.ini");
	await writeFile(config, lines.join("\n"));
	await chmod(folder, 0o777); // it refuses to run as root, so it runs under the account of the server
	const { uid, gid } = statSync(socketDir);
	const child = start(PGBOUNCER, [config], process.getuid?.() === 0 ? { uid, gid } : {});
	await until(`the pooler (${child.errors.join("\n")})`, () => {
		if (child.process.exitCode !== null) throw new Error(`it ended: ${child.errors.join("\n")}`);
		return answers(join(folder, ".s.PGSQL.6432")); // its file is there a moment before it takes connections
	});
	const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(folder)}&port=6432`;
	return {
		url,
		close: async () => {
			await child.kill();
			await rm(folder, { recursive: true });
		},
	};
}
