import { PassThrough, type Readable } from "node:stream";
import { PROCESS_TIMERS } from "../../ground/lib/clock.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { type BackupSettings, type BackupSnapshot, writeBackup } from "./write-backup.ts";

/** Milliseconds after which a backup is given up, however steadily it is read. */
const LONGEST_MS = 24 * 3_600_000;
/** Milliseconds that the snapshot waits for the locks of tables, because a caller waits for the reply. */
const LOCK_WAIT_MS = 2_000;

export interface SentBackup extends BackupSnapshot {
	/** Fails if the archive cannot be completed. Destroyed before its end, it ends the backup. */
	readonly archive: Readable;
	/** Resolves when the backup has neither a connection nor a snapshot any more. */
	readonly ended: Promise<void>;
}

/** Begins a backup that is written as it is read. Resolves once its snapshot is taken. */
export async function sendBackup(
	url: string,
	settings: Omit<BackupSettings, "onBegin" | "lockWaitMs">,
): Promise<SentBackup> {
	const archive = new PassThrough();
	const begun = Promise.withResolvers<BackupSnapshot>();
	const tooLong = PROCESS_TIMERS.after(LONGEST_MS, () =>
		archive.destroy(new OperatorError(`The backup was not read to its end in ${LONGEST_MS / 3_600_000} hours.`)),
	);
	const ended = writeBackup(url, archive, { ...settings, onBegin: begun.resolve, lockWaitMs: LOCK_WAIT_MS })
		.then(
			() => undefined,
			(error: Error) => {
				begun.reject(error);
				archive.destroy(error);
			},
		)
		.finally(tooLong);
	return { ...(await begun.promise), archive, ended };
}
