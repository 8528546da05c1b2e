import type { Kind } from "../../ground/engine/kind.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { BookWithStock } from "./book.ts";
import type { StockNeeds } from "./needs.ts";

/** A command that changes only stock. C: the command, A: its answer. */
export type StockKind<C extends { readonly kind: string }, A> = Kind<C, A, BookWithStock, StockNeeds, Catalog>;
