import type { Query } from "../../ground/pg/connect.ts";
import { type ListedException, selectOpenExceptions } from "./exceptions-sql.ts";

export interface ExceptionList {
	readonly items: readonly ListedException[];
	readonly hasMore: boolean;
}

/** The first `limit` open exceptions, oldest first. */
export async function listExceptions(db: Query, limit: number): Promise<ExceptionList> {
	const { rows } = await selectOpenExceptions(db, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
