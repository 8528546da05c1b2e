import { type Leak, leaksInText } from "./find-in-files.ts";
import { finderOfKnown } from "./secrets.ts";

/** Texts that services and commands have written for whoever watches them; each is read at the end of the test file. */
const written: { readonly where: string; readonly read: () => string }[] = [];

/** No secret may be in this text, as it is at the end. */
export const keepWritten = (where: string, read: () => string): void => void written.push({ where, read });

/** Secrets that lie in what was written since this was last asked. */
export function leaksInWritten(): Leak[] {
	if (written.length === 0) return [];
	const finder = finderOfKnown();
	return written.splice(0).flatMap(({ where, read }) => leaksInText(finder, where, read()));
}
