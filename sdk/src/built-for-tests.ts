import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

const BUILD = path.resolve(import.meta.dirname, "../build.ts");

/**
 * The folder of the built package, made once per run. Of two processes that make it at once, the slower one uses that
 * of the faster.
 */
export async function builtPackage(): Promise<string> {
	const made = path.join(inject("runFolder"), "kit");
	if (existsSync(made)) return made;
	const own = `${made}-${process.pid}`;
	await promisify(execFile)(process.execPath, [BUILD, own]);
	await rename(own, made).catch(async (error: unknown) => {
		await rm(own, { recursive: true });
		if (!existsSync(made)) throw error;
	});
	return made;
}
