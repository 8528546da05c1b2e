/** pgBackRest beside a server of the lab, with the files of deploy/pgbackrest and places of the lab's own. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Account, serverAccount } from "../ground/account.ts";
import type { Binaries } from "../ground/binaries.ts";
import { atLast } from "../ground/last-resort.ts";
import { type PostgresServer, SUPERUSER } from "../ground/postgres-server.ts";

const run = promisify(execFile);

const PROGRAM = "/usr/bin/pgbackrest";
const VERSIONS = "/usr/lib/postgresql";
const FILES = path.resolve(import.meta.dirname, "../../../deploy/pgbackrest");
const STANZA = "--stanza=holdfast";
const FOLDER_MODE = 0o750;

/** Debian's PostgreSQL: pgBackRest knows the versions of its own time, and the one from npm is newer. */
export function debianBinaries(): Binaries {
	const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number) : [];
	if (versions.length === 0 || !existsSync(PROGRAM))
		throw new Error("this needs Debian's pgbackrest and postgresql: apt-get install pgbackrest postgresql");
	const bin = path.join(VERSIONS, String(Math.max(...versions)), "bin");
	return { initdb: path.join(bin, "initdb"), postgres: path.join(bin, "postgres"), locale: ["--locale=C.UTF-8"] };
}

/** The archive of one server. */
export class Archive {
	readonly folder: string;
	readonly #account: Account | null;

	private constructor(folder: string, account: Account | null) {
		this.folder = folder;
		this.#account = account;
	}

	static async open(): Promise<Archive> {
		const account = serverAccount();
		const archive = new Archive(await mkdtemp(path.join(tmpdir(), "holdfast-archive-")), account);
		atLast(() => rmSync(archive.folder, { recursive: true, force: true }));
		for (const folder of [archive.folder, archive.#in("repository"), archive.#in("locks")]) {
			await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
			await archive.own(folder);
		}
		return archive;
	}

	/** The settings of the server, as deploy/pgbackrest gives them. */
	async settings(): Promise<string> {
		const text = await readFile(path.join(FILES, "postgresql.conf"), "utf8");
		return text.replace("'pgbackrest ", `'${PROGRAM} --config=${this.#config} `);
	}

	/** Tells pgBackRest where the server is, creates the stanza, and checks that a segment arrives. */
	async begin(server: PostgresServer): Promise<void> {
		const text = await readFile(path.join(FILES, "pgbackrest.conf"), "utf8");
		const { port, folder } = server.plan;
		const replaced = text
			.replace(
				/^repo1-path=.*$/m,
				`repo1-path=${this.#in("repository")}\nlock-path=${this.#in("locks")}\nlog-level-file=off`,
			)
			.replace(
				/^pg1-path=.*$/m,
				[`pg1-path=${server.data}`, `pg1-port=${port}`, `pg1-socket-path=${folder}`, `pg1-user=${SUPERUSER}`].join(
					"\n",
				),
			);
		await writeFile(this.#config, replaced, { mode: 0o640 });
		await this.own(this.#config);
		await this.#run(server, ["stanza-create"]);
		await this.check(server);
	}

	/** Resolves when everything that was written until now is in the archive. */
	async check(server: PostgresServer): Promise<void> {
		await this.#run(server, ["check"]);
	}

	async backUp(server: PostgresServer, type: "full" | "diff"): Promise<void> {
		await this.#run(server, [`--type=${type}`, "backup"]);
	}

	/** Fills the data folder of a server that has none with the state at a moment. It archives nothing itself. */
	async restore(source: PostgresServer, target: PostgresServer, moment: Date): Promise<void> {
		await target.makeFolder();
		const at = moment.toISOString().replace("T", " ").replace("Z", "+00");
		const where = [`--pg1-path=${target.data}`, "--archive-mode=off"];
		await this.#run(source, [...where, "--type=time", `--target=${at}`, "--target-action=promote", "restore"]);
	}

	async own(file: string): Promise<void> {
		if (this.#account !== null) await chown(file, this.#account.uid, this.#account.gid);
	}

	async close(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
	}

	get #config(): string {
		return this.#in("pgbackrest.conf");
	}

	#in(name: string): string {
		return path.join(this.folder, name);
	}

	async #run(server: PostgresServer, args: readonly string[]): Promise<void> {
		const env = { LC_ALL: "C", TZ: "UTC", PATH: process.env.PATH, PGPASSWORD: server.plan.password };
		await run(PROGRAM, [`--config=${this.#config}`, STANZA, ...args], { cwd: "/", env, ...this.#account });
	}
}
