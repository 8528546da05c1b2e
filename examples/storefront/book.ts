import type { Customer } from "@holdfast/partner";
import type { MirrorStore } from "@holdfast/partner/mirror";
import type { Lines } from "./catalogue.ts";
import type { Card } from "./payments.ts";

/** What the shop remembers, besides its mirrors and payments. */
export interface Book {
	/** By the cart's id. `problem`: why its last checkout did not succeed. */
	readonly carts: Record<string, { readonly lines: Lines; readonly problem: string }>;
	/** Each by the id of the cart that it was before. */
	readonly sales: Record<string, Sale>;
	/** Where the next read of the list of orders continues. */
	ordersCursor: string | null;
	endpoint: { readonly endpointId: string; readonly secret: string } | null;
}

/** A cart that is being paid for, or was. Its id is the hold's reference, the payment's key and the order's key. */
export interface Sale {
	readonly id: string;
	readonly lines: Lines;
	readonly customer: Customer;
	readonly card: Card;
	/** `paying`: what becomes of it is not known yet. `refunded`: it was paid for, and could not be ordered. */
	state: "paying" | "ordered" | "refunded";
	/** As Holdfast told it last. */
	order: { readonly status: string; readonly version: number } | null;
	/** By shipment. */
	readonly parcels: Record<string, { readonly trackingNumber: string | null; readonly trackingUrl: string | null }>;
}

/** The sale that a cart has become. */
export const saleOf = ({ value: { sales } }: Kept<Book>, id: string): Sale | undefined =>
	Object.hasOwn(sales, id) ? sales[id] : undefined;

export const emptyBook = (): Book => ({ carts: {}, sales: {}, ordersCursor: null, endpoint: null });

/** A value in memory and in one file, which is written whole. A shop of your own has a database. */
export interface Kept<Value> {
	readonly value: Value;
	/** Resolves when the change is on the disk. */
	change(edit: (value: Value) => void): Promise<void>;
}

export async function openKept<Value>(store: MirrorStore, empty: Value): Promise<Kept<Value>> {
	const text = await store.load();
	const value = text === null ? empty : (JSON.parse(text) as Value);
	const save = (): Promise<void> => store.save(JSON.stringify(value));
	let saved = Promise.resolve();
	return {
		value,
		async change(edit) {
			edit(value);
			saved = saved.then(save, save);
			await saved;
		},
	};
}
