import type { Kind } from "../../ground/engine/kind.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { BookWithHolds } from "./hold-book.ts";
import type { HoldNeeds } from "./needs.ts";

/** A command that changes holds and the stock bound to them. C: the command, A: its answer. */
export type HoldKind<C extends { readonly kind: string }, A> = Kind<C, A, BookWithHolds, HoldNeeds, Catalog>;
