/** The file of the SDK that has its version for the header of its requests. */
const KIT = "sdk/src/client/version.ts";
const LOCK = "package-lock.json";

/** Does this file, from the root of the repository, have the version of the release? */
export const hasVersion = (file: string): boolean =>
	file === KIT || file === LOCK || (/(?:^|\/)package\.json$/.test(file) && !file.startsWith("fixtures/"));

/** The text of such a file with another version. Text stays as it is elsewhere, so that the change is easy to read. */
export function setVersion(file: string, text: string, from: string, to: string): string {
	if (file === KIT) return text.replace(`VERSION = "${from}"`, `VERSION = "${to}"`);
	const dependencies = text.replaceAll(
		new RegExp(`("@holdfast/[\\w-]+": )"${from.replaceAll(".", "\\.")}"`, "g"),
		`$1"${to}"`,
	);
	return file === LOCK
		? setInLock(dependencies, from, to)
		: dependencies.replace(`\n\t"version": "${from}"`, `\n\t"version": "${to}"`);
}

/** In the lock file, our own packages have the version: the root, and every folder outside node_modules. */
function setInLock(text: string, from: string, to: string): string {
	let isOurs = true;
	return text
		.split("\n")
		.map((line) => {
			const [, folder] = /^\t\t"([^"]*)": \{$/.exec(line) ?? [];
			if (folder !== undefined) isOurs = !folder.includes("node_modules/");
			const isVersion = /^\t(?:\t\t)?"version": "/.test(line);
			return isOurs && isVersion ? line.replace(`"${from}"`, `"${to}"`) : line;
		})
		.join("\n");
}
