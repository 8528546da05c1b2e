import type { Kind } from "../../ground/engine/kind.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { OrderNeeds } from "./needs.ts";
import type { BookWithOrders } from "./order-book.ts";

/** A command that changes orders, and the holds and stock behind them. C: the command, A: its answer. */
export type OrderKind<C extends { readonly kind: string }, A> = Kind<C, A, BookWithOrders, OrderNeeds, Catalog>;
