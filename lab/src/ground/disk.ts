import { execFile, execFileSync } from "node:child_process";
import { mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { atLast } from "./last-resort.ts";

const run = promisify(execFile);
const UNMOUNT = "umount";

/** Bytes of a server's disk: enough for a run's rows and WAL, and small enough to be filled in a moment. */
const DISK_BYTES = 2 * 1024 ** 3;

/** A file system of the lab's own, in an image file behind a loop device, so that filling it harms nothing else. */
export interface Disk {
	/** The mount point. */
	readonly folder: string;
	/** Fills the disk up to `leaveBytes`. */
	fill(leaveBytes: number): Promise<void>;
	/** Frees the space again. */
	clear(): Promise<void>;
	/** Unmounts it and removes the image. */
	remove(): Promise<void>;
}

/** Creates and mounts a disk at `folder`. Returns the reason, as a text, if this process may not mount. */
export async function openDisk(folder: string): Promise<Disk | string> {
	const image = `${folder}.img`;
	await mkdir(folder, { recursive: true });
	let unmountAtLast = (): void => undefined;
	try {
		const file = await open(image, "w");
		await file.truncate(DISK_BYTES);
		await file.close();
		// -m 0: no blocks reserved for root, so that a full disk is full for everybody
		await run("mkfs.ext4", ["-q", "-F", "-m", "0", image]);
		await run("mount", ["-o", "loop", image, folder]);
		unmountAtLast = atLast(() => execFileSync(UNMOUNT, ["--lazy", folder]));
	} catch (error) {
		await rm(image, { force: true });
		const { stderr, message } = error as { stderr?: string; message: string };
		return (stderr?.trim() || message).split("\n")[0] ?? "mounting failed";
	}
	const ballast = join(folder, "ballast");
	return {
		folder,
		fill: async (leaveBytes) => {
			const { bavail, bsize } = await statfs(folder);
			const bytes = bavail * bsize - leaveBytes;
			if (bytes <= 0) return;
			await run("fallocate", ["--length", String(bytes), ballast]).catch((error: { stderr?: string }) => {
				// the file system needs some space itself, so the disk is full before the last byte is used
				if (!error.stderr?.includes("No space left")) throw error;
			});
		},
		clear: () => rm(ballast, { force: true }),
		remove: async () => {
			await run(UNMOUNT, [folder]).catch(() => run(UNMOUNT, ["--lazy", folder]));
			unmountAtLast();
			await rm(image, { force: true });
		},
	};
}
