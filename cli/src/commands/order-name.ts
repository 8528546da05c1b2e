/** The names of an order in a reply. */
export interface OrderNames {
	readonly ref: string;
	readonly external_order_id: string | null;
}

/** The one name of an order in tables and sentences: its partner's own id, else its reference. `--json` has its id. */
export const nameOfOrder = ({ ref, external_order_id }: OrderNames): string => external_order_id ?? ref;
