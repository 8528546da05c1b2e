import { assert } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { setBuffers } from "../../inventory/stock/set-buffers.ts";
import { setDemand } from "../../inventory/stock/set-demand.ts";
import type { Plan } from "./plan.ts";
import { type Advance, chunks, touched } from "./write-catalog.ts";

/** Writes promised demand and safety buffers. */
export async function writePromised(tx: Query, { demand, buffers }: Plan, advance: Advance): Promise<void> {
	for (const some of chunks(touched(demand))) {
		assert(!isRefusal(await setDemand(tx, some)), "a plan names only what exists");
		advance(some.length);
	}
	for (const some of chunks(touched(buffers))) {
		assert(!isRefusal(await setBuffers(tx, some)), "a plan names only what exists");
		advance(some.length);
	}
}
