import Type from "typebox";
import { REASON, REASON_QUERY } from "../../partners/admin/headers.ts";
import { adminEdit, adminOperation, adminWrite, WRITE_ERRORS } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { BrandCode, Code, NO_BRAND, Shared } from "./admin-contract.ts";
import { EXCEPTION_KINDS } from "./exception.ts";
import { MAX_FULL_REFERENCE_LENGTH, MAX_NAME_OF_LINE_LENGTH } from "./limits.ts";

const Kind = (description: string) => Type.Enum([...EXCEPTION_KINDS], { description });

const Exception = ReplyObject("DemandException", {
	exception_id: Type.Integer({ description: "Its number." }),
	reference: Type.String({ description: "The reference of the demand or the order concerned." }),
	kind: Kind("What could not be done."),
	subject: Type.String({
		description: "The store (empty if no report named one), the SKU, or the code of the formula that is short.",
	}),
	brand_codes: Type.Array(OrNull(Type.String({ description: "A brand; null: the shared stock." })), {
		description: "Of a shortage: whose stock was searched, in order.",
	}),
	promised_kits: Type.Integer({ description: "Kits that were ordered and are not promised." }),
	shipped_kits: Type.Integer({ description: "Kits that were shipped and are not drawn down." }),
	missing_units: Type.Integer({ description: "Units that were shipped but could not be found in any lot." }),
	created_at: Instant("When it was noticed."),
	what: Type.String({ description: "What happened, in words." }),
	todo: Type.String({ description: "What to do, in words." }),
});
const EXCEPTION_EXAMPLE = {
	exception_id: 17,
	reference: "shipstation:se-1001",
	kind: "unknown_store",
	subject: "204817",
	brand_codes: [],
	promised_kits: 0,
	shipped_kits: 10,
	missing_units: 0,
	created_at: "2026-11-22T10:00:00.000Z",
	what: 'Nobody has set whose stock store "204817" sells: 10 shipped and not drawn down.',
	todo: "Name the brand of the store.",
} as const;

export const ListExceptions = adminOperation({
	id: "list_exceptions",
	method: "GET",
	path: "/admin/api/v1/exceptions",
	summary: "List open exceptions of demand",
	description: "What could not be promised or drawn down, the oldest first.",
	query: pageQuery({
		reference: Type.Optional(
			Text({ min: 1, max: MAX_FULL_REFERENCE_LENGTH, description: "Only exceptions of this reference." }),
		),
		kind: Type.Optional(Kind("Only exceptions of this kind.")),
	}),
	replies: { 200: pageOf(Exception, "DemandExceptions") },
	examples: { replies: { 200: { items: [EXCEPTION_EXAMPLE], next_cursor: null } } },
});

const NamedException = Type.Object({ id: Code("The exception's number.") });
const EXCEPTION_PARAMS = { id: "17" };
const NO_EXCEPTION = "There is no exception 17.";
const Retried = ReplyObject("RetriedExceptions", {
	references: Type.Integer({ description: "References reconciled again." }),
	drawn_units: Type.Integer({ description: "Units that left the stock now." }),
	missing_units: Type.Integer({ description: "Units that are still missing." }),
});
const RETRIED_EXAMPLE = { references: 1, drawn_units: 2, missing_units: 0 };

export const RetryException = adminWrite({
	id: "retry_exception",
	method: "POST",
	path: "/admin/api/v1/exceptions/:id/retry",
	summary: "Retry an exception",
	description: "Together with the other exceptions of its reference, and with the current stores, SKUs and lots.",
	params: NamedException,
	body: RequestObject("RetryExceptionRequest", {
		shared: Type.Optional(Type.Boolean({ description: "`true`: take missing units from the shared stock too." })),
		...REASON,
	}),
	replies: { 200: Retried },
	examples: {
		params: EXCEPTION_PARAMS,
		request: { shared: true },
		replies: { 200: RETRIED_EXAMPLE },
		errors: { not_found: NO_EXCEPTION },
	},
});

export const RetryExceptions = adminWrite({
	id: "retry_exceptions",
	method: "POST",
	path: "/admin/api/v1/exceptions/retry",
	summary: "Retry all open exceptions",
	description: "With the current stores, SKUs and lots. Long work is a run.",
	body: RequestObject("RetryExceptionsRequest", { ...REASON }),
	replies: { 200: Retried, 202: StartedRun },
	examples: {
		request: {},
		replies: { 200: RETRIED_EXAMPLE, 202: STARTED_RUN_EXAMPLE },
	},
});

export const DismissException = adminWrite({
	id: "dismiss_exception",
	method: "POST",
	path: "/admin/api/v1/exceptions/:id/dismiss",
	summary: "Dismiss an exception",
	description:
		"Closes an exception that was dealt with in another way, such as by a correction of the stock: nothing is promised or drawn down for it any more. One that was dismissed before is returned as it is.",
	params: NamedException,
	body: RequestObject("DismissExceptionRequest", { ...REASON }),
	replies: {
		200: ReplyObject("DismissedException", {
			exception_id: Type.Integer({ description: "Its number." }),
			reference: Type.String({ description: "The reference of the demand or the order concerned." }),
			note: OrNull(Type.String({ description: "The reason, which is kept with it; null: none was given." })),
		}),
	},
	examples: {
		params: EXCEPTION_PARAMS,
		request: { reason: "counted by hand" },
		replies: { 200: { exception_id: 17, reference: "shipstation:se-1001", note: "counted by hand" } },
		errors: { ...WRITE_ERRORS, not_found: NO_EXCEPTION, not_possible_now: "Exception 17 is closed already." },
	},
});

const STORE = {
	store: Type.String({ description: "As the label platform names it." }),
	brand_code: OrNull(Type.String({ description: "The brand whose stock it sells; null: the shared stock alone." })),
	shared: Type.Boolean({ description: "It sells from the shared stock too when the brand's own is not enough." }),
};
const Store = ReplyObject("Store", STORE);
const STORE_EXAMPLE = { store: "204817", brand_code: "ACME", shared: true };
const NamedStore = Type.Object({
	id: Text({ min: 1, max: MAX_NAME_OF_LINE_LENGTH, description: "The store, as the label platform names it." }),
});
const STORE_PARAMS = { id: STORE_EXAMPLE.store };
const NO_STORE = 'There is no store "204817".';
const ORDERS = { orders: Type.Integer({ description: "Pending orders of it that were reconciled again." }) };
const UNKNOWN = Type.Array(Type.String({ description: "A store, as the label platform names it." }), {
	description: "Stores that pending orders name but that nobody has set.",
});

export const ListStores = adminOperation({
	id: "list_stores",
	method: "GET",
	path: "/admin/api/v1/stores",
	summary: "List stores",
	description: "Stores of the label platform, by name, and whose stock each of them sells.",
	query: pageQuery({
		brand_code: Type.Optional(Code("Only stores that sell this brand's stock.")),
		q: Type.Optional(Code("Only stores whose name contains this.")),
	}),
	replies: { 200: ReplyObject("Stores", { ...pageOf(Store, "Stores").properties, unknown: UNKNOWN }) },
	examples: {
		replies: { 200: { items: [STORE_EXAMPLE], next_cursor: null, unknown: ["204900"] } },
		errors: { not_found: NO_BRAND },
	},
});

export const GetStore = adminOperation({
	id: "get_store",
	method: "GET",
	path: "/admin/api/v1/stores/:id",
	summary: "Read a store",
	description: "Whose stock it sells.",
	params: NamedStore,
	conditional: true,
	replies: { 200: Store },
	examples: { params: STORE_PARAMS, replies: { 200: STORE_EXAMPLE }, errors: { not_found: NO_STORE } },
});

const StoreSet = ReplyObject("StoreSet", { ...STORE, ...ORDERS });
const STORE_SET = { ...STORE_EXAMPLE, orders: 1 };

export const PutStore = adminEdit({
	id: "put_store",
	method: "PUT",
	path: "/admin/api/v1/stores/:id",
	summary: "Set whose stock a store sells",
	description:
		"Its pending orders are reconciled again, as a run if that takes long. Units that were drawn down are not moved.",
	params: NamedStore,
	body: RequestObject("PutStoreRequest", {
		brand_code: BrandCode,
		shared: Shared,
	}),
	replies: { 200: StoreSet, 201: StoreSet, 202: StartedRun },
	examples: {
		params: STORE_PARAMS,
		request: { brand_code: "ACME", shared: true },
		replies: { 200: STORE_SET, 201: STORE_SET, 202: STARTED_RUN_EXAMPLE },
		errors: { not_found: NO_BRAND },
	},
});

export const RemoveStore = adminEdit({
	id: "remove_store",
	method: "DELETE",
	path: "/admin/api/v1/stores/:id",
	summary: "Remove a store",
	description: "Promises of its open orders end and become exceptions, as a run if that takes long.",
	params: NamedStore,
	query: REASON_QUERY,
	replies: {
		200: ReplyObject("RemovedStore", {
			removed: Type.Boolean({ description: "`false`: there was no such store." }),
			...ORDERS,
		}),
		202: StartedRun,
	},
	examples: {
		params: STORE_PARAMS,
		replies: { 200: { removed: true, orders: 1 }, 202: STARTED_RUN_EXAMPLE },
		errors: { not_found: NO_STORE },
	},
});
