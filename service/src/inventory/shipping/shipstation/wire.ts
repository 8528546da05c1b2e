/** The platform's objects as far as they are used. Any field that is not as published is null. */

export interface TheirShipment {
	readonly shipmentId: string;
	readonly externalShipmentId: string | null;
	readonly status: string;
	readonly createdAt: string;
	readonly modifiedAt: string;
	readonly holdUntil: string | null;
	readonly storeId: string | null;
	readonly items: readonly TheirItem[];
}

export interface TheirItem {
	readonly sku: string | null;
	readonly name: string | null;
	readonly quantity: number;
	readonly externalOrderId: string | null;
}

export interface TheirLabel {
	readonly labelId: string;
	readonly status: string;
	readonly voided: boolean;
	readonly voidedAt: string | null;
	readonly isReturn: boolean;
	readonly createdAt: string | null;
	/** YYYY-MM-DD. */
	readonly shipDay: string | null;
	readonly trackingNumber: string | null;
	readonly trackingUrl: string | null;
	readonly trackingStatus: string | null;
	readonly carrierCode: string | null;
	readonly serviceCode: string | null;
}

/** A box that was marked as shipped without a label of the platform. */
export type TheirFulfillment = Omit<TheirLabel, "labelId" | "status" | "voidedAt" | "isReturn" | "trackingStatus">;

export interface TheirCreation {
	readonly shipment: TheirShipment | null;
	readonly errors: readonly string[];
	/** The message of the address check if it found an error; otherwise null. */
	readonly addressError: string | null;
}

export interface TheirError {
	readonly code: string;
	readonly message: string;
}

type Fields = { readonly [name: string]: unknown };

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const dayOf = (value: unknown): string | null => /^\d{4}-\d{2}-\d{2}/.exec(textOf(value) ?? "")?.[0] ?? null;

/** Null: it has no id or no times, so it is not a shipment as published. */
export function readShipment(value: unknown): TheirShipment | null {
	const fields = fieldsOf(value);
	const shipmentId = textOf(fields.shipment_id);
	const [createdAt, modifiedAt] = [textOf(fields.created_at), textOf(fields.modified_at)];
	if (shipmentId === null || createdAt === null || modifiedAt === null) return null;
	return {
		shipmentId,
		externalShipmentId: textOf(fields.external_shipment_id),
		status: textOf(fields.shipment_status) ?? "",
		createdAt,
		modifiedAt,
		holdUntil: textOf(fields.hold_until_date),
		storeId: typeof fields.store_id === "number" ? String(fields.store_id) : textOf(fields.store_id),
		items: listOf(fields.items).map(readItem),
	};
}

function readItem(value: unknown): TheirItem {
	const { sku, name, quantity, external_order_id } = fieldsOf(value);
	const known = typeof quantity === "number" && Number.isInteger(quantity) && quantity > 0;
	return {
		sku: textOf(sku),
		name: textOf(name),
		quantity: known ? quantity : 0,
		externalOrderId: textOf(external_order_id),
	};
}

/** The shipments of a page, in order; null: not a page as published. */
export function readShipments(body: unknown): readonly TheirShipment[] | null {
	const { shipments } = fieldsOf(body);
	return Array.isArray(shipments) ? shipments.map(readShipment).filter((one) => one !== null) : null;
}

export function readLabels(body: unknown): readonly TheirLabel[] | null {
	const { labels } = fieldsOf(body);
	return Array.isArray(labels) ? labels.map(readLabel).filter((one) => one !== null) : null;
}

function readLabel(value: unknown): TheirLabel | null {
	const fields = fieldsOf(value);
	const labelId = textOf(fields.label_id);
	if (labelId === null) return null;
	return {
		labelId,
		status: textOf(fields.status) ?? "",
		voided: fields.voided === true || fields.status === "voided",
		voidedAt: textOf(fields.voided_at),
		isReturn: fields.is_return_label === true,
		createdAt: textOf(fields.created_at),
		shipDay: dayOf(fields.ship_date),
		trackingNumber: textOf(fields.tracking_number),
		trackingUrl: textOf(fields.tracking_url),
		trackingStatus: textOf(fields.tracking_status),
		carrierCode: textOf(fields.carrier_code),
		serviceCode: textOf(fields.service_code),
	};
}

export function readFulfillments(body: unknown): readonly TheirFulfillment[] | null {
	const { fulfillments } = fieldsOf(body);
	if (!Array.isArray(fulfillments)) return null;
	return fulfillments.map(fieldsOf).map((fields) => ({
		voided: fields.voided === true || textOf(fields.voided_at) !== null,
		createdAt: textOf(fields.created_at),
		shipDay: dayOf(fields.ship_date),
		trackingNumber: textOf(fields.tracking_number),
		trackingUrl: textOf(fields.tracking_url),
		carrierCode: textOf(fields.carrier_code) ?? textOf(fields.fulfillment_provider_code),
		serviceCode: textOf(fields.service_code) ?? textOf(fields.fulfillment_service_code),
	}));
}

/** The result of creating one shipment; null: the reply has no shipment, contrary to ShipStation's documentation. */
export function readCreation(body: unknown): TheirCreation | null {
	const [first] = listOf(fieldsOf(body).shipments);
	if (first === undefined) return null;
	const fields = fieldsOf(first);
	const check = fieldsOf(fields.address_validation);
	const words = listOf(check.messages)
		.map((one) => textOf(fieldsOf(one).message))
		.filter((one) => one !== null);
	return {
		shipment: readShipment(first),
		errors: listOf(fields.errors)
			.map(textOf)
			.filter((one) => one !== null),
		addressError: check.status === "error" ? words.join(" ") || "The address could not be verified." : null,
	};
}

/** The entries of an error envelope; empty if the body is not one. */
export function readErrors(body: unknown): readonly TheirError[] {
	return listOf(fieldsOf(body).errors).map((one) => {
		const { error_code, message } = fieldsOf(one);
		return { code: textOf(error_code) ?? "unspecified", message: textOf(message) ?? "no message" };
	});
}

export const shipmentIdOf = (label: unknown): string | null => textOf(fieldsOf(label).shipment_id);
