import type { OperationGroup } from "../partners/http/surface.ts";

/**
 * The operations of the partner API in the order in which a partner uses them: from the catalogue through holds to
 * shipments. Operations that are not listed come last; listed operations that do not exist are skipped.
 */
export const PARTNER_FLOW: readonly OperationGroup[] = [
	{
		name: "Availability",
		description: "Before anything is promised to a customer. These operations set no units aside.",
		operations: ["check", "inventory", "products", "inventorySummary"],
	},
	{
		name: "Holds",
		description: "Units set aside while the customer pays, and what becomes of them.",
		operations: ["reserve", "release", "consume", "reverseConsume", "findHold", "readHold"],
	},
	{
		name: "Orders",
		description: "A hold becomes an order that the manufacturer ships.",
		operations: ["placeOrder", "listOrders", "getOrder", "cancelOrder", "confirm"],
	},
	{
		name: "Shipments",
		description: "The boxes that orders travel in.",
		operations: ["listShipments", "combineShipments"],
	},
	{
		name: "Webhooks",
		description: "Notifications of shipments and of orders that are put on hold.",
		operations: [
			"createWebhookEndpoint",
			"listWebhookEndpoints",
			"getWebhookEndpoint",
			"changeWebhookEndpoint",
			"deleteWebhookEndpoint",
			"rotateWebhookSecret",
			"testWebhookEndpoint",
			"listWebhookDeliveries",
			"resendWebhookDelivery",
			"recoverWebhookEvents",
		],
	},
	{
		name: "Stock that came in, and what is prepaid",
		description: "For a brand's own books.",
		operations: ["receipts", "reserveCache"],
	},
	{
		name: "Keys and versions",
		description: "What a key may do, and the API dates that are accepted.",
		operations: ["introspect", "listVersions"],
	},
	{
		name: "The sandbox",
		description: "For sandbox keys only: does at once what otherwise happens with time or in the warehouse.",
		operations: ["advanceSandbox", "restockSandbox", "listSandboxRequests", "readGoLive", "startDrill", "postShown"],
	},
];
