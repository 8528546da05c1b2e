import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";

export const clearWords = (tx: Query, orderIds: readonly string[]): Promise<unknown> =>
	tx.query("update label_push set detail = null where order_id = any($1::uuid[]) and detail is not null", [
		plainArray(orderIds),
	]);
