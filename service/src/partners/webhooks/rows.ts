import type { Rows } from "../../ground/engine/rows.ts";
import type { BookWithEvents } from "./emit.ts";
import { saveEvents } from "./sql.ts";

/** Events are only written; no decision of a batch depends on earlier ones. */
export const eventRows: Rows<unknown, BookWithEvents, unknown> = { saveNumbered: saveEvents };
