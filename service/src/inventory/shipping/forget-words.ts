import type { Query } from "../../ground/pg/connect.ts";
import { clearWords } from "./forget-words-sql.ts";

/** Deletes what the label platform said about these orders: a refusal may quote the address. */
export const forgetWords = (tx: Query, orderIds: readonly string[]): Promise<unknown> => clearWords(tx, orderIds);
