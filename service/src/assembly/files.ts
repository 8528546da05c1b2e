import { buffer } from "node:stream/consumers";
import { must } from "../ground/lib/assert.ts";
import { OperatorError } from "../ground/lib/operator-error.ts";
import { asDigest } from "../inventory/certificates/digest.ts";
import type { FileStore } from "../inventory/certificates/file-store.ts";
import { MAX_PDF_BYTES } from "../inventory/certificates/limits.ts";
import { restoreStoredFile, type StoredFile, storedFilesOf } from "../inventory/certificates/stored-files.ts";
import type { FileKeeper } from "../upkeep/backup/write-backup.ts";

/** The files outside the database that a backup contains and a restore puts back: the PDFs of certificates. */
export function fileKeeperOf(files: FileStore): FileKeeper {
	const listed = new Map<string, StoredFile>();
	return {
		async list(snapshot) {
			for (const file of await storedFilesOf(snapshot, files)) listed.set(file.digest, file);
			return [...listed.values()];
		},
		async open(digest) {
			const content = await must(listed.get(digest), "a file that was listed").open();
			if (content !== null) return content;
			throw new OperatorError(
				`The PDF ${digest} of a certificate is not in the file store, or is incomplete: nothing was written. holdfast verify names the certificate, and holdfast coa store FILE puts the same PDF back.`,
			);
		},
		async put({ digest, size }, content) {
			if (asDigest(digest) === null || size > MAX_PDF_BYTES)
				throw new OperatorError(`The backup has a file ${digest} that is not the PDF of a certificate.`);
			return await restoreStoredFile(files, digest, await buffer(content));
		},
		async remove(digests) {
			for (const digest of digests) await files.remove(must(asDigest(digest), "the digest of a file that was put"));
		},
	};
}
