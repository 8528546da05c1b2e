export type { UnknownWord } from "../wire/given.ts";
export type { RawBody } from "./body.ts";
export { WebhookError, type WebhookErrorCode } from "./error.ts";
export type {
	CertificateRetiredEvent,
	EventOrder,
	EventShipment,
	HoldImpairedEvent,
	HoldReason,
	OrderCancelledEvent,
	OrderHeldEvent,
	OrderReleasedEvent,
	OrderShippedEvent,
	OrderStatus,
	ShipmentLabelCreatedEvent,
	ShipmentVoidedEvent,
	ShippedItem,
	UnknownEvent,
	WebhookEvent,
	WebhookTestEvent,
} from "./event.ts";
export { memorySeen, once, type SeenStore } from "./once.ts";
export { type VerifyOptions, verifyWebhook, type WebhookRequest } from "./verify.ts";
