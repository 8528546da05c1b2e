import type { DataOf } from "../api/call.ts";
import { words } from "../words/words.ts";

export type CountExplanation = DataOf<"explain_count">;
export type CountedPool = CountExplanation["components"][number]["pools"][number];

/** The name of a pool; null: the shared one. */
export const poolName = (brand: string | null): string => brand ?? words.sharedStock;
