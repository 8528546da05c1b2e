/**
 * The state of a simulated label platform: shipments, labels and marks, and the actions of its staff. Written from the
 * vendor's published description of ShipStation's API, version 2; the real platform was not tried.
 */

export interface WorldShipment {
	shipment_id: string;
	external_shipment_id: string | null;
	shipment_status: string;
	created_at: string;
	modified_at: string;
	hold_until_date: string | null;
	store_id: string | null;
	ship_to: Record<string, string>;
	notes_from_buyer: string | null;
	sales_order_ids: string[];
	items: WorldItem[];
}

export interface WorldItem {
	name: string;
	sku: string;
	quantity: number;
	external_order_id: string | null;
	external_order_item_id: string | null;
}

export interface WorldLabel {
	label_id: string;
	shipment_id: string;
	external_shipment_id: string | null;
	status: string;
	voided: boolean;
	voided_at: string | null;
	is_return_label: boolean;
	created_at: string;
	ship_date: string;
	tracking_number: string;
	tracking_url: string;
	tracking_status: string;
	carrier_code: string;
	service_code: string;
}

export interface WorldMark {
	fulfillment_id: string;
	shipment_id: string;
	tracking_number: string;
	fulfillment_provider_code: string;
	created_at: string;
	ship_date: string;
	voided_at: string | null;
}

/** Milliseconds since 1970 at which the platform's clock begins; deliberately not our time. */
const CLOCK_BEGINS = Date.parse("2031-05-04T00:00:00.000Z");
/** Milliseconds that pass with each change. */
const TICK_MS = 7;

/** A refusal by the platform: a status and the message of its error envelope. */
export class Refused extends Error {
	readonly status: number;
	readonly code: string;
	constructor(status: number, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

export class PlatformWorld {
	readonly shipments = new Map<string, WorldShipment>();
	readonly labels: WorldLabel[] = [];
	readonly marks: WorldMark[] = [];
	/** Called for each change, like a webhook: the type, and the address of the resource below `/v2`. */
	onEvent: (type: string, path: string) => void = () => undefined;
	/** Postal codes that are rejected. */
	readonly unknownPostalCodes = new Set<string>();
	/** If set, every creation is refused with this message. */
	refusesAll: string | null = null;
	/** False: a creation with an invalid address creates no shipment. */
	makesBoxesWithBadAddresses = true;
	#ids = 100;
	#clock = CLOCK_BEGINS;
	/** Number of shipments that were ever created: more than the number of orders means that one was pushed twice. */
	created = 0;

	now(): string {
		return new Date(this.#clock).toISOString();
	}

	/** Lets time pass without a change. */
	pass(ms: number): void {
		this.#clock += ms;
	}

	#tick(): string {
		this.#clock += TICK_MS;
		return this.now();
	}

	#id(): string {
		return `se-${++this.#ids}`;
	}

	byExternalId(externalId: string): WorldShipment | undefined {
		return [...this.shipments.values()].find((one) => one.external_shipment_id === externalId);
	}

	get(id: string): WorldShipment {
		const found = this.shipments.get(id) ?? this.byExternalId(id);
		if (!found) throw new Refused(404, "invalid_identifier", "Shipment not found.");
		return found;
	}

	create(asked: Record<string, unknown>): { shipment: WorldShipment | null; addressProblem: string | null } {
		if (this.refusesAll !== null) throw new Refused(400, "business_rules", this.refusesAll);
		const external_shipment_id = asked.external_shipment_id as string;
		if (this.byExternalId(external_shipment_id)) {
			throw new Refused(400, "identifier_conflict", "external_shipment_id already exists.");
		}
		const ship_to = asked.ship_to as Record<string, string>;
		const bad = asked.validate_address !== "no_validation" && this.unknownPostalCodes.has(ship_to.postal_code ?? "");
		const addressProblem = bad ? "The postal code is not known." : null;
		if (bad && !this.makesBoxesWithBadAddresses) return { shipment: null, addressProblem };
		const at = this.#tick();
		const shipment: WorldShipment = {
			shipment_id: this.#id(),
			external_shipment_id,
			shipment_status: "pending",
			created_at: at,
			modified_at: at,
			hold_until_date: null,
			store_id: null,
			ship_to,
			notes_from_buyer: (asked.notes_from_buyer as string | undefined) ?? null,
			sales_order_ids: asked.create_sales_order === true ? [this.#id()] : [],
			items: asked.items as WorldItem[],
		};
		this.shipments.set(shipment.shipment_id, shipment);
		this.created++;
		this.#changed(shipment, "SHIPMENT_CREATED_V2");
		return { shipment, addressProblem };
	}

	/** An order of another store arrives, without Holdfast. */
	sell(store_id: string, kits: Readonly<Record<string, number>>): WorldShipment {
		const at = this.#tick();
		const shipment_id = this.#id();
		const number = `shop-${shipment_id}`;
		const shipment: WorldShipment = {
			shipment_id,
			external_shipment_id: number,
			shipment_status: "pending",
			store_id,
			created_at: at,
			modified_at: at,
			hold_until_date: null,
			ship_to: {},
			notes_from_buyer: null,
			sales_order_ids: [this.#id()],
			items: Object.entries(kits).map(([sku, quantity]) => ({
				name: sku,
				sku,
				quantity,
				external_order_id: number,
				external_order_item_id: null,
			})),
		};
		this.shipments.set(shipment_id, shipment);
		this.#changed(shipment, "SHIPMENT_CREATED_V2");
		return shipment;
	}

	cancel(id: string): void {
		const shipment = this.get(id);
		if (shipment.shipment_status === "label_purchased") {
			throw new Refused(400, "invalid_status", "The label must be voided first.");
		}
		this.#set(shipment, "cancelled");
	}

	merge(id: string, others: readonly string[]): void {
		const into = this.get(id);
		const from = [...new Set(others)].filter((one) => one !== id).map((one) => this.get(one));
		for (const one of [into, ...from]) {
			if (one.shipment_status !== "pending" && one.shipment_status !== "on_hold") {
				throw new Refused(400, "invalid_status", "Only shipments that have not shipped can be merged.");
			}
			if (one.sales_order_ids.length === 0) {
				throw new Refused(400, "business_rules", "The shipment is not linked to a sales order.");
			}
		}
		for (const one of from) {
			into.items.push(...one.items);
			into.sales_order_ids.push(...one.sales_order_ids);
			this.shipments.delete(one.shipment_id);
		}
		this.#set(into, into.shipment_status);
	}

	/* The actions of the warehouse's staff and of the carriers. */

	buyLabel(id: string, shipDay: string = this.now().slice(0, 10)): WorldLabel {
		const shipment = this.get(id);
		const created_at = this.#tick();
		const label: WorldLabel = {
			label_id: this.#id(),
			shipment_id: shipment.shipment_id,
			external_shipment_id: shipment.external_shipment_id,
			status: "completed",
			voided: false,
			voided_at: null,
			is_return_label: false,
			created_at,
			ship_date: `${shipDay}T00:00:00Z`,
			tracking_number: `1Z${this.#ids}`,
			tracking_url: `https://carrier.example/${this.#ids}`,
			tracking_status: "unknown",
			carrier_code: "ups",
			service_code: "ups_ground",
		};
		this.labels.push(label);
		this.#set(shipment, "label_purchased");
		this.onEvent("LABEL_CREATED_V2", `/labels/${label.label_id}`);
		return label;
	}

	voidLabel(label: WorldLabel): void {
		label.voided = true;
		label.status = "voided";
		label.voided_at = this.#tick();
		this.#set(this.get(label.shipment_id), "pending");
	}

	/** The carrier scans the parcel; the shipment is not modified by that. */
	scan(label: WorldLabel, status = "in_transit"): void {
		label.tracking_status = status;
		this.#tick();
		this.onEvent("TRACK_EVENT_V2", `/labels/${label.label_id}/track`);
	}

	/** Marks a shipment as shipped without a label. */
	mark(id: string, tracking_number: string): void {
		const shipment = this.get(id);
		const created_at = this.#tick();
		this.marks.push({
			fulfillment_id: this.#id(),
			shipment_id: shipment.shipment_id,
			tracking_number,
			fulfillment_provider_code: "fedex",
			created_at,
			ship_date: created_at,
			voided_at: null,
		});
		this.#set(shipment, "label_purchased");
		this.onEvent("FULFILLMENT_SHIPPED_V2", `/fulfillments?shipment_id=${shipment.shipment_id}`);
	}

	hold(id: string, until: string | null): void {
		const shipment = this.get(id);
		shipment.hold_until_date = until;
		this.#set(shipment, until === null ? "pending" : "on_hold");
	}

	/** The same, requested through the API. */
	holdUntil(id: string, day: string): void {
		const { shipment_status } = this.get(id);
		if (shipment_status === "label_purchased" || shipment_status === "cancelled")
			throw new Refused(400, "invalid_status", "A shipment that is cancelled or has a label cannot be held.");
		this.hold(id, `${day}T00:00:00Z`);
	}
	restore(id: string): void {
		if (this.get(id).shipment_status !== "on_hold")
			throw new Refused(400, "invalid_status", "The shipment is not on hold.");
		this.hold(id, null);
	}

	/** Modifies a shipment without changing anything that the service reads. */
	touch(id: string): void {
		const shipment = this.get(id);
		this.#set(shipment, shipment.shipment_status);
	}

	#set(shipment: WorldShipment, status: string): void {
		shipment.shipment_status = status;
		shipment.modified_at = this.#tick();
		this.#changed(shipment, "SHIPMENT_UPDATED_V2");
	}

	#changed({ shipment_id }: WorldShipment, type: string): void {
		this.onEvent(type, `/shipments/${shipment_id}`);
	}
}
