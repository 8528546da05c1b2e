/** The lists that partners follow, and how a reader of each recognises a row and its changes. */

/**
 * How a reader continues: by its cursor, with the `as_of` of its last page, or with the latest time that it has seen.
 */
export const MANNERS = ["cursor", "as_of", "seen"] as const;
export type Manner = (typeof MANNERS)[number];

type Item = Readonly<Record<string, unknown>>;

export interface List {
	readonly name: string;
	/** The key that reads it. */
	readonly key: string;
	/** Whether it is served at the COA address. */
	readonly atCoa: boolean;
	readonly path: string;
	/** Query parameters other than those of paging. */
	readonly query: Readonly<Record<string, string>>;
	/** The parameter that takes a time; null: the list can only be followed by its cursor. */
	readonly since: string | null;
	readonly idOf: (item: Item) => string;
	/** The row's time of change as its reader sees it; null: rows of this list have none. */
	readonly timeOf: (item: Item) => string | null;
	/** The part of the row that a mirror keeps: without counts, which change without their row. */
	readonly stateOf: (item: Item) => string;
}

const pick = (item: Item, names: readonly string[]): string => JSON.stringify(names.map((name) => item[name]));
const text = (value: unknown): string => String(value);

const COMMON = { atCoa: false, query: {}, since: null } as const;

export const LISTS: readonly List[] = [
	{
		...COMMON,
		name: "products",
		key: "acme-web",
		path: "/api/v1/products",
		since: "updated_since",
		idOf: ({ sku }) => text(sku),
		timeOf: ({ updated_at: at }) => text(at),
		stateOf: (item) => pick(item, ["name", "kind", "components", "updated_at"]),
	},
	{
		...COMMON,
		name: "shipments",
		key: "bolt-web",
		path: "/api/v1/shipments",
		since: "modified_since",
		idOf: ({ shipment_id: id }) => text(id),
		timeOf: ({ modified_at: at }) => text(at),
		stateOf: (item) => pick(item, ["version", "status", "modified_at"]),
	},
	{
		...COMMON,
		name: "certificates",
		key: "acme-web",
		path: "/api/partner/v1/coa",
		since: "updated_since",
		atCoa: true,
		query: { status: "all" },
		idOf: ({ product, batch_number: batch }) =>
			`${
				(
					product as {
						slug: string;
					}
				).slug
			} ${text(batch)}`,
		timeOf: ({ updated_at: at }) => text(at),
		stateOf: (item) => pick(item, ["status", "updated_at"]),
	},
	{
		...COMMON,
		name: "receipts",
		key: "bolt-web",
		path: "/api/v1/receipts",
		idOf: ({ receipt_id: id }) => text(id),
		timeOf: ({ updated_at: at }) => text(at),
		stateOf: (item) => pick(item, ["units_received", "units_corrected", "updated_at"]),
	},
	{
		...COMMON,
		name: "summary",
		key: "acme-web",
		path: "/api/v1/inventory/summary",
		idOf: ({ formula_id: id }) => text(id),
		timeOf: () => null,
		stateOf: (item) => pick(item, ["name", "skus"]),
	},
];

/** The deliveries of an endpoint. A row appears once; its later changes do not move it. */
export const deliveriesOf = (key: string, endpointId: string): List => ({
	...COMMON,
	name: "deliveries",
	key,
	path: `/api/v1/webhook-endpoints/${endpointId}/deliveries`,
	idOf: ({ delivery_id: id }) => text(id),
	timeOf: () => null,
	stateOf: (item) => pick(item, ["event_id", "type"]),
});
