import { stat } from "node:fs/promises";
import { join } from "node:path";
import { bytesInWords } from "../../ground/lib/bytes.ts";
import { freeBytesOf, MIN_FREE_BYTES } from "../../ground/pg/disk-room.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";

export const DATA_FOLDER = "data folder";

/** Checks that the disk of the embedded database has room. */
export async function examineDisk(dataDir: string): Promise<Diagnosis> {
	// may be a link to another place that PostgreSQL's account can reach
	const pgData = join(dataDir, "postgres");
	const free = await freeBytesOf((await stat(pgData).catch(() => null)) === null ? dataDir : pgData);
	if (free >= MIN_FREE_BYTES) return good(DATA_FOLDER, `${dataDir}, ${bytesInWords(free)} free`);
	const advice = `Free some space: below ${bytesInWords(MIN_FREE_BYTES)} the service is not ready, and a start may fail.`;
	return bad(DATA_FOLDER, `${dataDir}: the disk of the database is full, ${bytesInWords(free)} are free`, advice);
}
