import { CallError, call, type DataOf, type OperationId } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { words } from "../words/words.ts";
import { asksForSandbox, isSandbox } from "./is-sandbox.ts";

/** An object that a search finds. */
export interface Found {
	/** Its page. */
	readonly to: string;
	/** The name by which a person knows it. */
	readonly name: string;
	/** What distinguishes it from others of the same name. */
	readonly about: string;
	/** Pages of the objects that it belongs to, such as the orders of a box. */
	readonly of?: readonly string[];
	/** The text is its whole name, number or reference. */
	readonly isExact: boolean;
}

/** Objects of one kind that a search finds. */
export interface FoundKind {
	readonly items: readonly Found[];
	/** There are more than these. */
	readonly more: boolean;
}

/** A kind of objects, and how they are found. */
export interface SearchedKind {
	readonly operation: OperationId;
	readonly title: string;
	/** The list of everything that the text finds; null: there is no such list. */
	readonly listAt: ((q: string) => string) | null;
	readonly find: (q: string, signal: AbortSignal) => Promise<FoundKind>;
}

/** Number of results of each kind that are shown. */
const SHOWN = 8;
/** Number of rows of each kind that are read: some may be left out, such as those of the sandbox. */
const READ = 100;
const NOTHING: FoundKind = { items: [], more: false };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const same = (q: string, ...names: readonly (string | null)[]): boolean =>
	names.some((name) => name !== null && name.toLowerCase() === q.toLowerCase());
const at =
	(list: string, name = "q") =>
	(q: string) =>
		`${list}?${new URLSearchParams({ [name]: q })}`;

type Listing = {
	[Id in OperationId]: DataOf<Id> extends { items: unknown[]; next_cursor: string | null } ? Id : never;
}[OperationId];
type RowIn<Id extends Listing> = DataOf<Id> extends { items: (infer Row)[] } ? Row : never;

interface ListedKind<Id extends Listing> {
	readonly id: Id;
	readonly title: string;
	readonly list: string;
	/** The parameter that takes the text, of the API's list and of the page's; absent: `q`; null: there is none. */
	readonly by?: string | null;
	readonly show: (row: RowIn<Id>, q: string) => Found;
}

/** A kind that a list of the API finds. Rows that lead to the same page count as one result. */
function listed<Id extends Listing>({ id, title, list, by = "q", show }: ListedKind<Id>): SearchedKind {
	return {
		operation: id,
		title,
		listAt: by === null ? () => list : at(list, by),
		find: async (q, signal) => {
			const query = { ...(by === null ? {} : { [by]: q }), limit: READ } as never;
			const data = (await call(id, { query, signal })) as { items: RowIn<Id>[]; next_cursor: string | null };
			const items = data.items.flatMap((row): Found[] => {
				const found = show(row, q);
				const fits = by !== null || found.isExact || found.name.toLowerCase().includes(q.toLowerCase());
				return fits && (found.isExact || asksForSandbox(q) || !isSandbox(row)) ? [found] : [];
			});
			const pages = [...new Map(items.toReversed().map((one) => [one.to + one.name, one])).values()].toReversed();
			return { items: pages.slice(0, SHOWN), more: data.next_cursor !== null || pages.length > SHOWN };
		},
	};
}

/** An object that is found by its own id, which only machines print. */
function byId<Id extends OperationId>(
	operation: Id,
	title: string,
	param: string,
	show: (thing: DataOf<Id>) => Omit<Found, "isExact">,
): SearchedKind {
	return {
		operation,
		title,
		listAt: null,
		find: async (q, signal) => {
			if (!UUID.test(q)) return NOTHING;
			try {
				const thing = await call(operation, { params: { [param]: q } as never, signal });
				return { items: [{ ...show(thing), isExact: true }], more: false };
			} catch (error) {
				if (error instanceof CallError && error.status === 404) return NOTHING;
				throw error;
			}
		},
	};
}

const text = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join(", ");
const encoded = encodeURIComponent;
const { find, stock } = words;

/** What everybody may search, in the order in which it is shown. */
const OF_ALL: readonly SearchedKind[] = [
	listed({
		id: "list_orders",
		title: find.orders,
		list: "/orders",
		show: ({ order_id, ref, external_order_id, customer, partner, status }, q) => ({
			to: `/orders/${order_id}`,
			name: external_order_id ?? ref,
			about: text(customer, partner, status),
			isExact: same(q, order_id, ref, external_order_id) || same(`#${q}`, ref, external_order_id),
		}),
	}),
	listed({
		id: "list_boxes",
		title: find.boxes,
		list: "/boxes",
		show: ({ shipment_id, tracking_number, orders, carrier_code, status, ship_to }, q) => ({
			to: `/boxes/${shipment_id}`,
			name:
				tracking_number ?? find.box(orders.map(({ ref, external_order_id }) => external_order_id ?? ref).join(", ")),
			about: text(carrier_code, ship_to.city, status),
			of: orders.map(({ order_id }) => `/orders/${order_id}`),
			isExact: same(q, shipment_id, tracking_number),
		}),
	}),
	listed({
		id: "list_holds",
		title: find.holds,
		list: "/holds",
		by: "external_ref",
		show: ({ reservation_token, external_ref, consume_ref, partner, status, units }, q) => ({
			to: `/holds/${reservation_token}`,
			name: external_ref ?? consume_ref ?? reservation_token,
			about: text(partner, find.units(units), status),
			isExact: same(q, external_ref, consume_ref),
		}),
	}),
	byId("get_hold", find.holds, "token", ({ reservation_token, external_ref, partner, status }) => ({
		to: `/holds/${reservation_token}`,
		name: external_ref ?? reservation_token,
		about: text(partner, status),
	})),
	listed({
		id: "list_lots",
		title: find.lots,
		list: "/stock",
		show: ({ fg_id, formula, batch_number, brand_code, location, available }, q) => ({
			to: `/stock/${fg_id}`,
			name: `${formula} ${batch_number}`,
			about: text(brand_code ?? stock.shared, location, find.units(available)),
			isExact: same(q, batch_number),
		}),
	}),
	byId("get_lot", find.lots, "fg_id", ({ fg_id, formula, batch_number, brand_code }) => ({
		to: `/stock/${fg_id}`,
		name: `${formula} ${batch_number}`,
		about: brand_code ?? stock.shared,
	})),
	listed({
		id: "list_certificates",
		title: find.certificates,
		list: "/certificates",
		show: ({ slug, product_name, batch_number, status }, q) => ({
			to: `/certificates/${encoded(slug)}/${encoded(batch_number)}`,
			name: `${product_name} ${batch_number}`,
			about: words.certificates.states[status],
			isExact: same(q, batch_number),
		}),
	}),
	listed({
		id: "list_skus",
		title: find.skus,
		list: "/catalogue",
		show: ({ sku, name }, q) => ({ to: at("/catalogue")(sku), name: sku, about: name, isExact: same(q, sku) }),
	}),
	listed({
		id: "list_products",
		title: find.products,
		list: "/catalogue/products",
		show: ({ slug, name }, q) => ({
			to: at("/catalogue/products")(slug),
			name,
			about: slug,
			isExact: same(q, slug, name),
		}),
	}),
	listed({
		id: "list_formulas",
		title: find.formulas,
		list: "/catalogue/formulas",
		show: ({ code, name }, q) => ({
			to: at("/catalogue/formulas")(code),
			name: code,
			about: name,
			isExact: same(q, code),
		}),
	}),
	listed({
		id: "list_demand",
		title: find.demand,
		list: "/demand",
		show: ({ reference, formula, units }, q) => ({
			to: `/demand/item/${encoded(reference)}`,
			name: reference,
			about: text(formula, find.units(units)),
			isExact: same(q, reference),
		}),
	}),
	listed({
		id: "list_exceptions",
		title: find.exceptions,
		list: "/exceptions",
		by: "reference",
		show: ({ reference, what }) => ({
			to: at("/exceptions", "reference")(reference),
			name: reference,
			about: what,
			isExact: true,
		}),
	}),
	listed({
		id: "list_keys",
		title: find.keys,
		list: "/api-keys",
		show: ({ pk, name, partner, environment, state }, q) => ({
			to: `/api-keys/${encoded(pk)}`,
			name: `${partner}: ${name}`,
			about: text(pk, find.environments[environment], find.keyStates[state]),
			isExact: same(q, pk),
		}),
	}),
	listed({
		id: "list_endpoints",
		title: find.endpoints,
		list: "/webhooks",
		show: ({ endpoint_id, url, partner }, q) => ({
			to: `/webhooks/endpoints/${endpoint_id}`,
			name: url,
			about: partner,
			isExact: same(q, url, endpoint_id),
		}),
	}),
	listed({
		id: "list_deliveries",
		title: find.deliveries,
		list: "/webhooks/deliveries",
		by: "event_id",
		show: ({ event_id, type, partner }) => ({
			to: at("/webhooks/deliveries", "event_id")(event_id),
			name: event_id,
			about: text(words.endpoints.typeNames[type], partner),
			isExact: true,
		}),
	}),
	byId("get_run", find.runs, "run_id", ({ run_id, operation, about }) => ({
		to: `/runs/${run_id}`,
		name: words.runs.operations[operation] ?? operation,
		about,
	})),
];

/** What else an admin may search. The API has no search of these: the newest are looked through. */
const OF_ADMINS: readonly SearchedKind[] = [
	listed({
		id: "list_people",
		title: words.sections.people,
		list: "/people",
		by: null,
		show: ({ name, email, role, state }, q) => ({
			to: "/people",
			name: text(name, email),
			about: text(role, words.people.states[state]),
			isExact: same(q, name, email),
		}),
	}),
	listed({
		id: "list_tokens",
		title: words.sections.tokens,
		list: "/tokens",
		by: null,
		show: ({ id, name, role, state }, q) => ({
			to: "/tokens",
			name,
			about: text(role, words.tokens.states[state]),
			isExact: same(q, name, id),
		}),
	}),
];

/** Everything that somebody may search, in the order in which it is shown. */
export const searchedBy = (me: Me): readonly SearchedKind[] =>
	hasRole(me, "admin") ? [...OF_ALL, ...OF_ADMINS] : OF_ALL;
