import type { Database } from "../../ground/pg/connect.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { differencesOfStoredFiles } from "../../inventory/certificates/stored-files.ts";
import { type VerifyReport, verify, withDifferences } from "./verify.ts";

/** Runs `verify`, then checks the PDF of every visible certificate, byte by byte. `onStep` is called as by `verify`. */
export async function verifyWithFiles(
	db: Database,
	files: FileStore,
	onStep?: (step: number, of: number) => void,
): Promise<VerifyReport> {
	const report = await verify(db, onStep);
	return withDifferences(report, "certificate-file", await differencesOfStoredFiles(db, files));
}
