import type MiniSearch from "minisearch";
import type { SearchEntry } from "../search-entries.ts";

/** An entry that a query finds. */
type Found = Pick<SearchEntry, "to" | "heading" | "page" | "kind">;

export declare function createIndex(library: typeof MiniSearch, entries: readonly SearchEntry[]): MiniSearch;
export declare function rank(index: MiniSearch, question: string): Found[];
