import { readFileSync } from "node:fs";

/** The account that runs PostgreSQL; null stands for our own. */
export interface Account {
	readonly uid: number;
	readonly gid: number;
}

/** System accounts without valuable files of their own, in order of preference. */
const CANDIDATES = ["postgres", "nobody"];

/** PostgreSQL refuses to run as root, so root uses an unprivileged account of the system. */
export function serverAccount(): Account | null {
	if (process.getuid?.() !== 0) return null;
	const lines = readFileSync("/etc/passwd", "utf8").split("\n");
	for (const name of CANDIDATES) {
		const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
		if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
	}
	throw new Error(`PostgreSQL cannot run as root, and there is no account ${CANDIDATES.join(" or ")}`);
}
