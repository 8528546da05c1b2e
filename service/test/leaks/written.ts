import { type Leak, leaksInText } from "./find-in-files.ts";
import { finderOfKnown } from "./secrets.ts";

/** Output of services and commands that other people may read; each text is read at the end of the test file. */
const written: { readonly where: string; readonly read: () => string }[] = [];

/** Registers a text that must not contain a secret when the test file ends. */
export const keepWritten = (where: string, read: () => string): void => void written.push({ where, read });

/** Secrets that lie in what was written since this was last asked. */
export function leaksInWritten(): Leak[] {
	if (written.length === 0) return [];
	const finder = finderOfKnown();
	return written.splice(0).flatMap(({ where, read }) => leaksInText(finder, where, read()));
}
