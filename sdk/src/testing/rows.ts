import type { Environment } from "../../../service/src/glossary.ts";
import type { Certificate } from "../../../service/src/inventory/certificates/record.ts";
import type { Hold } from "../../../service/src/inventory/holds/hold.ts";
import type { Order } from "../../../service/src/inventory/orders/order.ts";
import type { Shipment } from "../../../service/src/inventory/orders/shipment.ts";
import type { Lot } from "../../../service/src/inventory/stock/lot.ts";
import type { Delivery } from "../../../service/src/partners/webhooks/delivery.ts";
import type { Endpoint } from "../../../service/src/partners/webhooks/endpoint.ts";
import type { PartnerEvent } from "../../../service/src/partners/webhooks/event.ts";
import type { LoggedRequest } from "../../../service/src/upkeep/traffic/list-sql.ts";

/** How far the moment of a list lies before the read, in milliseconds (docs/decisions/0064). */
const MARGIN_MS = 10_000;

/** The numbers of a list, in the order of its changes. Times are milliseconds since 1970. */
export class ListNumbers {
	#last = 0;
	#at = 0;

	take(now: number): number {
		this.#at = now;
		return ++this.#last;
	}

	/** The moment of a list read at this time: every change that the read misses has this time or a later one. */
	moment(now: number): number {
		return Math.max(this.#at, now - MARGIN_MS);
	}
}

/** A row of a list: its number, and when it took it. */
export interface Listed {
	readonly number: number;
	readonly at: number;
}

export interface Receipt {
	readonly receiptId: string;
	readonly fgId: string;
	/** YYYY-MM-DD. */
	readonly receivedOn: string;
	received: number;
	corrected: number;
	listed: Listed;
}

export interface StoredCertificate extends Certificate {
	readonly environment: Environment;
	/** Milliseconds since 1970; null: never current. */
	readonly publishedAt: number | null;
	readonly pdf: Buffer;
}

export interface StoredDelivery extends Delivery {
	readonly endpointId: string;
	readonly seq: number;
	/** Its place in the list. */
	readonly place: number;
}

export interface RecordedEvent {
	readonly seq: number;
	readonly createdAt: number;
	readonly event: PartnerEvent;
}

/** A brand's mirror of prepaid units. */
export interface PrepaidMirror {
	readonly sequence: number;
	readonly mirroredAt: number;
	readonly items: readonly { readonly formulaId: string; readonly prepaidUnits: number }[];
}

/** What the service has in its tables, in memory. */
export class Rows {
	readonly lots = new Map<string, Lot>();
	readonly holds = new Map<string, Hold>();
	/** When holds ended, by token. */
	readonly endedAt = new Map<string, number>();
	readonly orders = new Map<string, Order>();
	readonly shipments = new Map<string, Shipment>();
	/** Orders and boxes in their lists, by id. */
	readonly listed = new Map<string, Listed>();
	/** Orders that were on hold at any time. */
	readonly wereHeld = new Set<string>();
	readonly events: RecordedEvent[] = [];
	readonly receipts: Receipt[] = [];
	/** By pool. */
	readonly mirrors = new Map<number, PrepaidMirror>();
	/** By id. */
	readonly certificates = new Map<string, StoredCertificate>();
	readonly endpoints = new Map<string, Endpoint>();
	readonly deliveries = new Map<string, StoredDelivery>();
	/** The oldest first. */
	readonly requests: LoggedRequest[] = [];
	/** Units promised elsewhere, by `formulaId/poolId`. */
	readonly promised = new Map<string, number>();

	readonly boxNumbers = new ListNumbers();
	readonly receiptNumbers = new ListNumbers();
	readonly certificateNumbers = new ListNumbers();
	readonly endpointNumbers = new ListNumbers();
	readonly eventNumbers = new ListNumbers();
}

/** By number: the order of every list. */
export const byNumber = (a: readonly [number, ...unknown[]], b: readonly [number, ...unknown[]]): number => a[0] - b[0];
