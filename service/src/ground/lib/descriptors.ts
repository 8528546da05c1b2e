import { readFileSync } from "node:fs";

/** How many files and sockets this process may have open; null where the system does not say. */
export function mostDescriptors(): number | null {
	try {
		const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
		return soft === undefined ? null : Number(soft);
	} catch {
		return null; // not Linux
	}
}
