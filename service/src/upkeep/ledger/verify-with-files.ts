import type { Database } from "../../ground/pg/connect.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { differencesOfStoredFiles } from "../../inventory/certificates/stored-files.ts";
import { type VerifyReport, verify, withDifferences } from "./verify.ts";

/** `verify`, and then the PDF of every certificate that is shown, byte by byte. `onStep` is told as by `verify`. */
export async function verifyWithFiles(
	db: Database,
	files: FileStore,
	onStep?: (step: number, of: number) => void,
): Promise<VerifyReport> {
	const report = await verify(db, onStep);
	return withDifferences(report, "certificate-file", await differencesOfStoredFiles(db, files));
}
