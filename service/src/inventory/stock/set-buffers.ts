import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type Changes, promisedColumns, toChanges } from "./set-demand.ts";
import { replaceBuffers } from "./set-demand-sql.ts";

/** Units of a shelf that the operator withholds from promising. */
export interface SafetyBuffer {
	/** The formula's code. */
	readonly formula: string;
	/** Null: the shared stock. */
	readonly brandCode: string | null;
	/** Units; 0 removes it. */
	readonly units: number;
}

/**
 * Sets safety buffers; no two entries may share a formula and brand. Refuses `not_found` for an unknown formula or
 * brand, and then changes nothing.
 */
export async function setBuffers(tx: Query, buffers: readonly SafetyBuffer[]): Promise<Changes | Refusal<"not_found">> {
	return await toChanges(tx, (await replaceBuffers(tx, promisedColumns(buffers))).rows);
}
