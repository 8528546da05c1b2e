import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type Changes, promisedColumns, toChanges } from "./set-demand.ts";
import { replaceBuffers } from "./set-demand-sql.ts";

/** Units of a shelf that the operator keeps back from being promised. */
export interface SafetyBuffer {
	/** The formula's code. */
	readonly formula: string;
	/** Null: the shared stock. */
	readonly brandCode: string | null;
	/** Units; 0 removes it. */
	readonly units: number;
}

/**
 * Sets safety buffers. Every entry has a formula and brand of its own. Refuses `not_found` when a formula or a brand
 * does not exist; then nothing is changed.
 */
export async function setBuffers(tx: Query, buffers: readonly SafetyBuffer[]): Promise<Changes | Refusal<"not_found">> {
	return await toChanges(tx, (await replaceBuffers(tx, promisedColumns(buffers))).rows);
}
