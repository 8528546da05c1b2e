import { readFileSync } from "node:fs";

export function readVersion(): string {
	const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}

/** Whether the first version is earlier than the second. Both are three numbers. */
export function isBefore(one: string, other: string): boolean {
	const [a, b] = [one, other].map((version) => version.split(".").map(Number));
	const at = (a ?? []).findIndex((part, n) => part !== b?.[n]);
	return at >= 0 && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}
