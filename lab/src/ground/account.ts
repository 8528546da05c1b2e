import { readFileSync } from "node:fs";

/** Who runs PostgreSQL; null stands for ourselves. */
export interface Account {
	readonly uid: number;
	readonly gid: number;
}

/** Accounts that own nothing of value to a throw-away server, the best first. */
const CANDIDATES = ["postgres", "nobody"];

/** PostgreSQL refuses to run as root: then an unprivileged account of the system runs it. */
export function serverAccount(): Account | null {
	if (process.getuid?.() !== 0) return null;
	const lines = readFileSync("/etc/passwd", "utf8").split("\n");
	for (const name of CANDIDATES) {
		const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
		if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
	}
	throw new Error(`PostgreSQL cannot run as root, and there is no account ${CANDIDATES.join(" or ")}`);
}
