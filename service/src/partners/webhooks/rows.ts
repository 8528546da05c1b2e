import type { Rows } from "../../ground/engine/rows.ts";
import type { BookWithEvents } from "./emit.ts";
import { numberEvents } from "./sql.ts";

/** Events are only written; nothing that a batch decides rests on earlier ones. */
export const eventRows: Rows<unknown, BookWithEvents, unknown> = { save: () => [], assignNumbers: numberEvents };
