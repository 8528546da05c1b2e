import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
	appendFile,
	chmod,
	chown,
	link,
	lstat,
	mkdir,
	readdir,
	readFile,
	realpath,
	rename,
	rm,
	stat,
	symlink,
	unlink,
	writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { newId } from "../lib/ids.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { quotedCommand } from "../lib/typed-command.ts";
import { signal } from "../pg/signal.ts";
import { type Account, canReach, serverAccount } from "./account.ts";
import { type Binaries, copyBinaries, findBinaries } from "./binaries.ts";
import { ignoreExisting, makeFolders } from "./folder.ts";

const run = promisify(execFile);

/** Milliseconds for initdb, which takes one or two seconds, or longer on a slow disk. */
const INITDB_TIMEOUT_MS = 300_000;

/** The superuser of the embedded server; its password is in the data folder. */
export const EMBEDDED_USER = "holdfast";
/** The database that initdb itself creates. Creating another would be a further step, which could be interrupted. */
export const EMBEDDED_DATABASE = "postgres";
/** Where a root service keeps files that PostgreSQL's account cannot reach elsewhere. */
const SHARED_HOME = "/var/lib/holdfast";
/** The path of a unix socket must stay under 108 bytes (104 on macOS); its file name takes 14. */
const MAX_SOCKET_DIR_BYTES = 88;
/** Folder of an unfinished cluster, followed by the pid of the process that creates it. */
const HALF_MADE = "postgres.half-";
/** The first version of PostgreSQL with the builtin collation provider. */
const BUILTIN_LOCALE_SINCE = 17;

/** The properties of the embedded server that do not change while it runs. */
export interface Cluster {
	readonly dataDir: string;
	/** PostgreSQL's own data directory, symlinks resolved. */
	readonly pgData: string;
	readonly socketDir: string;
	readonly logFile: string;
	readonly password: string;
	readonly binaries: Binaries;
	/** The account that runs it; null for our own. */
	readonly account: Account | null;
}

export interface ClusterOptions {
	readonly dataDir: string;
	readonly pgBin?: string | undefined;
	/** Prints one line for the user at the terminal. */
	readonly say?: (line: string) => void;
	/** Called zero or more times while another process works and this one waits, to start expensive work meanwhile. */
	readonly onWaiting?: (() => void) | undefined;
}

/**
 * Initial postgresql.conf of a new cluster, which the operator may change; the settings for durability are in
 * server.ts.
 */
const TUNING = `
# Holdfast's tuning of a new cluster. Change what you like; durability and sockets are set on the command line.
max_connections = 100
shared_buffers = 256MB
max_wal_size = 2GB
min_wal_size = 256MB
checkpoint_timeout = 10min
random_page_cost = 1.1
effective_io_concurrency = 64
jit = off
autovacuum_naptime = 15s
log_checkpoints = off
log_timezone = 'UTC'
timezone = 'UTC'
lc_messages = 'C'
`;

/** Finds or creates the cluster of a data folder. Safe against concurrent calls and against being killed halfway. */
export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
	const say = options.say ?? (() => undefined);
	const dataDir = resolve(options.dataDir);
	const entry = join(dataDir, "postgres");
	const account = (await ownerOf(entry)) ?? (await serverAccount(say));
	await makeDataDir(dataDir, account);
	let binaries = await findBinaries(options.pgBin);
	if (account !== null && !canReach(dirname(binaries.postgres), account)) {
		say(`The account that runs PostgreSQL cannot reach ${dirname(binaries.postgres)}: using a copy in ${SHARED_HOME}.`);
		binaries = await copyBinaries(binaries, SHARED_HOME);
	}
	const password = await ensurePassword(join(dataDir, "postgres-password"));
	if (!(await exists(entry))) {
		await createCluster({ dataDir, entry, binaries, account, password, say, onWaiting: options.onWaiting });
	}
	const pgData = await realpath(entry);
	await refuseUnfit(pgData, binaries, account);
	const socketDir = await chooseSocketDir(pgData, account);
	return { dataDir, pgData, socketDir, logFile: join(dataDir, "postgres.log"), password, binaries, account };
}

/** If we are root, the owner of an existing cluster, who also runs it; null if there is none or we are not root. */
async function ownerOf(entry: string): Promise<Account | null> {
	if (process.getuid?.() !== 0) return null;
	const found = await stat(entry).catch(() => null);
	return found === null || found.uid === 0 ? null : { uid: found.uid, gid: found.gid };
}

/** The connection string of a cluster reached through `socketDir`. */
export function clusterUrl(cluster: Cluster, socketDir: string): string {
	return `postgresql://${EMBEDDED_USER}:${cluster.password}@/${EMBEDDED_DATABASE}?host=${encodeURIComponent(socketDir)}`;
}

async function makeDataDir(dataDir: string, account: Account | null): Promise<void> {
	try {
		// PostgreSQL's account must be able to traverse a root service's data folder, but not list it
		await makeFolders(dataDir, account === null ? 0o700 : 0o711);
	} catch (error) {
		throw new OperatorError(
			`The data folder ${dataDir} cannot be created: ${(error as Error).message}. Set HOLDFAST_DATA_DIR to a folder that can be created.`,
		);
	}
	// if an existing data folder is the only obstacle, let the account traverse it too
	if (account !== null && !canReach(dataDir, account) && canReach(dirname(dataDir), account)) {
		await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
	}
}

/** Created once and never changed: the first process to link the file wins, and every process reads that file. */
async function ensurePassword(file: string): Promise<string> {
	try {
		return (await readFile(file, "utf8")).trim();
	} catch (error) {
		if ((error as { code?: string }).code !== "ENOENT") throw error;
	}
	const half = `${file}.${newId()}`;
	try {
		await writeFile(half, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600, flush: true });
		await link(half, file).catch(ignoreExisting);
	} finally {
		await rm(half, { force: true });
	}
	return (await readFile(file, "utf8")).trim();
}

interface NewCluster extends Pick<Cluster, "dataDir" | "binaries" | "account" | "password"> {
	readonly entry: string;
	readonly say: (line: string) => void;
	readonly onWaiting: ClusterOptions["onWaiting"];
}

/** Runs initdb in a separate folder and moves it into place, so that an unfinished cluster is never used. */
async function createCluster(cluster: NewCluster): Promise<void> {
	const { dataDir, entry, binaries, account, password, say } = cluster;
	if (await lstat(entry).catch(() => null)) {
		throw new OperatorError(
			`${entry} is a link to a folder that no longer exists. Put the folder back, or remove the link to create a new database.`,
		);
	}
	say(`Creating a new PostgreSQL database in ${entry}.`);
	const elsewhere = account !== null && !canReach(dataDir, account);
	const half = elsewhere
		? join(SHARED_HOME, newId(), "postgres")
		: join(dataDir, `${HALF_MADE}${process.pid}-${newId()}`);
	const passwordFile = `${half}.pw`;
	try {
		await mkdir(dirname(half), { recursive: true, mode: 0o755 });
		await mkdir(half, { mode: 0o700 });
		await writeFile(passwordFile, password, { mode: 0o600 });
		if (account !== null) {
			await chown(half, account.uid, account.gid);
			await chown(passwordFile, account.uid, account.gid);
		}
		const made = initdb(binaries, half, passwordFile, account);
		cluster.onWaiting?.();
		await made;
		await unlink(passwordFile);
		if (elsewhere) {
			say(
				`The account that runs PostgreSQL cannot reach ${dataDir}, so the database's files are in ${half}, linked from ${entry}.`,
			);
			await symlink(half, entry);
		} else {
			await rename(half, entry);
		}
	} catch (error) {
		await rm(elsewhere ? dirname(half) : half, { recursive: true, force: true });
		await rm(passwordFile, { force: true });
		if (!(await exists(entry))) throw error; // otherwise another process was faster, and its cluster is used
	}
	await removeHalfMade(dataDir);
}

/** Removes unfinished clusters of processes that were killed. */
async function removeHalfMade(dataDir: string): Promise<void> {
	for (const name of await readdir(dataDir)) {
		const pid = name.startsWith(HALF_MADE) ? Number.parseInt(name.slice(HALF_MADE.length), 10) : Number.NaN;
		if (!(pid > 0) || signal(pid, 0)) continue;
		// its initdb may still be writing; whatever cannot be removed now is removed next time
		await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
	}
}

async function initdb(
	binaries: Binaries,
	folder: string,
	passwordFile: string,
	account: Account | null,
): Promise<void> {
	const locale =
		binaries.major >= BUILTIN_LOCALE_SINCE
			? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
			: ["--locale=C"];
	try {
		await run(
			binaries.initdb,
			[
				`--pgdata=${folder}`,
				`--username=${EMBEDDED_USER}`,
				`--pwfile=${passwordFile}`,
				"--auth=scram-sha-256",
				"--encoding=UTF8",
				"--data-checksums",
				...locale,
			],
			{ cwd: "/", env: { LC_ALL: "C", TZ: "UTC" }, timeout: INITDB_TIMEOUT_MS, killSignal: "SIGKILL", ...account },
		);
	} catch (error) {
		const { stderr, message, killed } = error as { stderr?: string; message: string; killed?: boolean };
		const why = killed ? `it took more than ${INITDB_TIMEOUT_MS / 1000} s` : (stderr ?? "").trim() || message;
		throw new OperatorError(`PostgreSQL's initdb failed in ${folder}: ${why}`);
	}
	await appendFile(join(folder, "postgresql.conf"), TUNING, { flush: true });
}

/** Rejects a cluster with the wrong owner or major version early, where the cause is still clear. */
async function refuseUnfit(pgData: string, { major, postgres }: Binaries, account: Account | null): Promise<void> {
	const text = await readFile(join(pgData, "PG_VERSION"), "utf8").catch((error) => {
		throw new OperatorError(
			`The database in ${pgData} cannot be read (${error.code}). Start Holdfast as the user who created it, as root, or with another HOLDFAST_DATA_DIR.`,
		);
	});
	if (account !== null && !canReach(pgData, account)) {
		throw new OperatorError(
			`The account that owns the database in ${pgData} cannot reach it, because a folder above it is closed to other accounts. Open that folder (chmod o+x), or move the data folder.`,
		);
	}
	const made = Number(text.trim());
	if (made === major) return;
	throw new OperatorError(
		`The database in ${pgData} was created by PostgreSQL ${made}, but ${postgres} is ${major}. Point HOLDFAST_PG_BIN at PostgreSQL ${made}. To move to ${major}: ${quotedCommand("backup FILE")} with that one, then ${quotedCommand("restore FILE")} into a new folder.`,
	);
}

async function chooseSocketDir(pgData: string, account: Account | null): Promise<string> {
	if (Buffer.byteLength(pgData) <= MAX_SOCKET_DIR_BYTES) return pgData;
	const name = `holdfast-${createHash("sha256").update(pgData).digest("hex").slice(0, 16)}`;
	const parent = Buffer.byteLength(tmpdir()) + name.length < MAX_SOCKET_DIR_BYTES ? tmpdir() : "/tmp";
	const folder = join(parent, name);
	await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
	const owner = account?.uid ?? process.getuid?.();
	const found = await lstat(folder);
	// anyone can create a folder in the temp folder: only our own is trusted
	if (!found.isDirectory() || (found.uid !== process.getuid?.() && found.uid !== owner)) {
		throw new OperatorError(
			`${folder} belongs to another account, so PostgreSQL's socket cannot be put there. Use a shorter HOLDFAST_DATA_DIR.`,
		);
	}
	await chmod(folder, 0o700);
	if (account !== null) await chown(folder, account.uid, account.gid);
	return folder;
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;
