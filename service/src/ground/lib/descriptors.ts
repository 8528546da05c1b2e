import { readFileSync } from "node:fs";

/** Maximum number of open files and sockets of this process; null if the system does not report it. */
export function mostDescriptors(): number | null {
	try {
		const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
		return soft === undefined ? null : Number(soft);
	} catch {
		return null; // not Linux
	}
}
