import { execFile } from "node:child_process";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "../lib/operator-error.ts";

const run = promisify(execFile);

/** Milliseconds to create an account, including the wait for a lock on the account database. */
const MAKE_TIMEOUT_MS = 30_000;

/** The account for PostgreSQL, which refuses to run as root. */
const ACCOUNT_NAME = "postgres";

export interface Account {
	readonly uid: number;
	readonly gid: number;
}

/** The account that runs the embedded PostgreSQL: for root, the system's `postgres`; null: our own. */
export async function serverAccount(say: (line: string) => void): Promise<Account | null> {
	if (process.getuid?.() !== 0) return null;
	const known = lookUp();
	if (known) return known;
	say(`PostgreSQL cannot run as root: creating the system account "${ACCOUNT_NAME}" for it.`);
	await makeAccount();
	const made = lookUp();
	if (made) return made;
	throw new OperatorError(
		`PostgreSQL cannot run as root, and the account "${ACCOUNT_NAME}" could not be created. Run Holdfast as another user, or create the account: useradd --system ${ACCOUNT_NAME}`,
	);
}

/** Whether `account` can traverse every folder above `path`. Checks folder modes only, not access lists. */
export function canReach(path: string, account: Account): boolean {
	let folder = realpathSync(path);
	while (true) {
		const { mode, uid, gid } = statSync(folder);
		const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
		if (((mode >> shift) & 0o1) === 0) return false;
		const parent = dirname(folder);
		if (parent === folder) return true;
		folder = parent;
	}
}

function lookUp(): Account | null {
	const line = readFileSync("/etc/passwd", "utf8")
		.split("\n")
		.find((entry) => entry.startsWith(`${ACCOUNT_NAME}:`));
	const [, , uid, gid] = line?.split(":") ?? [];
	return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

/** Tries shadow-utils, then busybox; the caller looks up the account to see whether either worked. */
async function makeAccount(): Promise<void> {
	try {
		const settings = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
		await run("useradd", [...settings, ACCOUNT_NAME], { timeout: MAKE_TIMEOUT_MS });
	} catch {
		await run("adduser", ["-S", "-D", "-H", ACCOUNT_NAME], { timeout: MAKE_TIMEOUT_MS }).catch(() => undefined);
	}
}
