import { createReadStream, readFileSync } from "node:fs";
import { openArchive } from "../../src/upkeep/backup/open-archive.ts";
import { restoreBackup } from "../../src/upkeep/backup/restore-backup.ts";
import type { FileKeeper } from "../../src/upkeep/backup/write-backup.ts";

// A process that restores an archive without files. Prints the result and its peak memory as one line of JSON: {error,
// peakKib}.
const [url = "", file = ""] = process.argv.slice(2);
const files: FileKeeper = {
	list: () => Promise.resolve([]),
	open: () => Promise.reject(new Error("there is no file")),
	put: () => Promise.reject(new Error("there is no place for files")),
	remove: () => Promise.resolve(),
};
const options = { files, withoutWebhooks: false, takeKeyRing: () => Promise.resolve(), onBytes: () => undefined };
const error = await openArchive(createReadStream(file))
	.then((archive) => restoreBackup(url, archive, options))
	.then(
		() => null,
		(caught: Error) => caught.message,
	);
// not `resourceUsage().maxRSS`, which includes the memory of the parent process
const peakKib = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
process.stdout.write(`${JSON.stringify({ error, peakKib })}\n`);
process.exit(0);
