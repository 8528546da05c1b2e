import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { ROOT, readText } from "../tidy/source.ts";

/** The files that the last stage of deploy/Containerfile copies from the repository: they are enough to run it. */
export const COPIED = (readText("deploy/Containerfile").split("\nFROM ").at(-1) ?? "")
	.split("\n")
	.filter((line) => line.startsWith("COPY ") && !line.startsWith("COPY --from"))
	.flatMap((line) => line.split(" ").slice(1, -1));

/** Copies files and folders of the repository to the same places of another folder, without tests and packages. */
export async function copyTo(folder: string, files: readonly string[]): Promise<void> {
	const filter = (from: string): boolean => !/\.test\.ts$|\/node_modules(\/|$)/.test(path.relative(ROOT, from));
	for (const file of files) {
		await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
		await cp(path.join(ROOT, file), path.join(folder, file), { recursive: true, filter });
	}
}
