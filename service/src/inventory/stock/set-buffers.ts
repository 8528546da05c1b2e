import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type Changes, toChanges } from "./set-demand.ts";
import { replaceBuffers } from "./set-demand-sql.ts";

/** Units of a shelf that the operator withholds from promising. */
export interface SafetyBuffer {
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	/** Units; 0 removes it. */
	readonly units: number;
}

/** Sets buffers of distinct shelves. Refuses `not_found` for an unknown code and then changes nothing. */
export async function setBuffers(tx: Query, buffers: readonly SafetyBuffer[]): Promise<Changes | Refusal<"not_found">> {
	return await toChanges(tx, (await replaceBuffers(tx, buffers)).rows);
}
