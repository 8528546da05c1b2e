import Type from "typebox";
import { DRY_RUN, DRY_RUN_REPLY, FRESH_SIGN_IN_EXAMPLE, WRITE_ERRORS } from "../../partners/admin/headers.ts";
import { adminOperation, adminWrite } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { GivenId, Id, Instant, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { MOST_NAMED } from "./limits.ts";

/** Maximum code points of a name of an order, and of an address: an order has no longer ones. */
const MAX_NAME = 200;
const ORDER_ID = "0199f0a0-3333-7000-8000-000000000003";

const Erased = ReplyObject("ErasedCustomers", {
	erased: Type.Integer({ description: "Orders whose customer was erased now." }),
	already: Type.Integer({ description: "Orders whose customer had been erased before." }),
	open: Type.Array(Id(), {
		description: "Orders of `order_ids` that are still to be shipped: they were left as they are.",
	}),
	unknown: Type.Integer({ description: "Ids of `order_ids` that no order has." }),
	...DRY_RUN_REPLY,
});

export const EraseCustomers = adminWrite({
	id: "erase_customers",
	method: "POST",
	path: "/admin/api/v1/customers/erase",
	summary: "Erase customers' data",
	description:
		"Erases name, e-mail, phone, address and note of orders that have ended, wherever they are kept; only the country stays. Names one order, all orders of an e-mail address, or, after a restore, the orders whose customers had been erased. An order that is still to be shipped is refused, and with it the others of its address; of `order_ids` it is left. The audit log does not get the address. If there are many orders, the reply is 202, and the run continues.",
	body: RequestObject("EraseCustomersRequest", {
		order: Type.Optional(
			Text({
				min: 1,
				max: MAX_NAME,
				description: "One order: its id, or its Idempotency-Key or external id if no other order has it.",
			}),
		),
		customer_email: Type.Optional(
			Text({
				min: 1,
				max: MAX_NAME,
				description: "Every order whose customer has this e-mail address, in capitals or not.",
			}),
		),
		order_ids: Type.Optional(
			Type.Array(GivenId("An order."), {
				minItems: 1,
				maxItems: MOST_NAMED,
				description: "These orders, as far as they exist and have ended.",
			}),
		),
		...DRY_RUN,
	}),
	replies: { 200: Erased, 202: StartedRun },
	examples: {
		request: { order: "shop-1001" },
		replies: { 200: { erased: 1, already: 0, open: [], unknown: 0 }, 202: STARTED_RUN_EXAMPLE },
		errors: {
			order_not_found: 'There is no order with the id, the Idempotency-Key or the external id "shop-1".',
			not_found: "No order has this e-mail address.",
			not_possible_now: `Order shop-1001 is picked and needs its address: ship or cancel it first. Nothing was erased.`,
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			...WRITE_ERRORS,
		},
	},
});

const AskedErasure = ReplyObject("AskedErasure", {
	order_id: Id("The order."),
	erased_at: Instant("When its customer was erased."),
	asked_by: Type.String({ description: "Who asked for it: `operator:<name>`." }),
	request_id: Type.String({ description: "The request with which it was asked for." }),
});

export const ListErasures = adminOperation({
	id: "list_erasures",
	method: "GET",
	path: "/admin/api/v1/customers/erasures",
	summary: "List the erasures that were asked for",
	description:
		"The newest order first. Keep this list elsewhere: a backup that is older than an erasure still has the customer, and `order_ids` erases again what the list names.",
	query: pageQuery({}),
	replies: { 200: pageOf(AskedErasure, "AskedErasures") },
	examples: {
		replies: {
			200: {
				items: [
					{
						order_id: ORDER_ID,
						erased_at: "2026-11-26T12:00:00.000Z",
						asked_by: "operator:ada",
						request_id: "req_6926f0a000000000000000000",
					},
				],
				next_cursor: null,
			},
		},
	},
});
