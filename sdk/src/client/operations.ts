import { snakeName, toWire } from "./camel.ts";
import type { RequestOptions } from "./methods.ts";
import type { Repeat } from "./retry.ts";

/** An operation of the service as a row. */
export interface Operation {
	/** As the SDK names it: `orders.place`. */
	readonly name: string;
	readonly method: string;
	/** With `{name}` where a value goes. If it does not begin like the API's paths, it is at the COA address. */
	readonly path: string;
	readonly repeat: Repeat;
	/** The names of the method's arguments; `MEMBERS`: an object of further members. */
	readonly takes: readonly string[];
}

/** The values of one call by their names, `undefined` where none was given. */
export type Input = Readonly<Record<string, unknown>>;

export const API_PATH = "/api/v1";
const MEMBERS = "…";
/** Answered without a key. */
export const LOOKUP = "coa.lookup";
/** Answered with bytes. */
export const CSV = "coa.csv";

/** name: method, path, what a repeat does, and the names of its arguments. */
const ROWS = {
	check: "POST /check read items",
	reserve: "POST /reserve same …",
	release: "POST /release same reservationToken",
	consume: "POST /consume same …",
	reverse: "POST /consume/reverse same …",
	"holds.get": "GET /holds/{reservationToken} read reservationToken",
	"holds.find": "GET /holds read …",
	"orders.place": "POST /orders same …",
	"orders.get": "GET /orders/{ref} read ref",
	"orders.cancel": "POST /orders/{ref}/cancel same ref …",
	"orders.list": "GET /orders read …",
	"shipments.list": "GET /shipments read …",
	"shipments.combine": "POST /shipments/combine once orderRefs …",
	"inventory.get": "GET /inventory read …",
	"inventory.summary": "GET /inventory/summary read …",
	"products.list": "GET /products read …",
	"receipts.list": "GET /receipts read …",
	"prepaid.push": "POST /reserve-cache same …",
	"keys.introspect": "POST /keys/introspect read token",
	"versions.list": "GET /api/versions read",
	"coa.list": "GET coa:/api/partner/v1/coa read …",
	"coa.lot": "GET coa:/api/partner/v1/coa/lot/{lot} read lot",
	"coa.csv": "GET coa:/api/partner/v1/coa read …",
	"coa.lookup": "GET coa:/coa/lookup read lot",
	"webhookEndpoints.create": "POST /webhook-endpoints once …",
	"webhookEndpoints.list": "GET /webhook-endpoints read …",
	"webhookEndpoints.get": "GET /webhook-endpoints/{endpointId} read endpointId",
	"webhookEndpoints.update": "PATCH /webhook-endpoints/{endpointId} same endpointId …",
	"webhookEndpoints.rotateSecret": "POST /webhook-endpoints/{endpointId}/rotate-secret once endpointId …",
	"webhookEndpoints.delete": "DELETE /webhook-endpoints/{endpointId} once endpointId",
	"webhookEndpoints.test": "POST /webhook-endpoints/{endpointId}/test once endpointId",
	"webhookEndpoints.deliveries": "GET /webhook-endpoints/{endpointId}/deliveries read endpointId …",
	"webhookEndpoints.resend":
		"POST /webhook-endpoints/{endpointId}/deliveries/{deliveryId}/resend once endpointId deliveryId",
	"webhookEndpoints.recover": "POST /webhook-endpoints/{endpointId}/recover once endpointId …",
	"sandbox.advance": "POST /sandbox/advance once …",
	"sandbox.restock": "POST /sandbox/restock same",
	"sandbox.shown": "POST /sandbox/shown same items",
	"sandbox.golive": "GET /sandbox/golive read",
	"sandbox.drill": "POST /sandbox/golive/drill once what",
	"sandbox.requests": "GET /sandbox/requests read …",
} as const;

export type OperationName = keyof typeof ROWS;

/** Every operation of the SDK. */
export const OPERATIONS: readonly Operation[] = Object.entries(ROWS).map(([name, row]) => {
	const [method = "", path = "", repeat = "read", ...takes] = row.split(" ");
	return { name, method, path, repeat: repeat as Repeat, takes };
});

/** The arguments of a call by their names; `token` is the contract's `reservation_token`. */
export function inputOf({ name, takes }: Operation, given: readonly unknown[]): [Input, RequestOptions] {
	const input: Record<string, unknown> = {};
	for (const [at, taken] of takes.entries()) {
		if (taken !== MEMBERS) input[taken] = given[at];
		else {
			const { token, ...members } = (given[at] ?? {}) as Record<string, unknown>;
			Object.assign(input, members, token === undefined ? {} : { reservationToken: token });
		}
	}
	if (name === "reserve") input.externalRef ??= `kit-${crypto.randomUUID()}`;
	if (name === "orders.place") input.idempotencyKey ??= crypto.randomUUID();
	if (name === CSV) input.format = "csv";
	return [input, (given[takes.length] ?? {}) as RequestOptions];
}

/** What a caller looks up who does not know whether a command was carried out. */
export function referenceOf(input: Input): string | null {
	const { idempotencyKey, reservationToken, externalRef, ref, orderRef, endpointId } = input;
	const reference = idempotencyKey ?? reservationToken ?? externalRef ?? ref ?? orderRef ?? endpointId;
	return typeof reference === "string" ? reference : null;
}

/** Where a request goes and what it carries. */
export interface Envelope {
	/** Path and query. */
	readonly at: string;
	readonly body: string | undefined;
	readonly idempotencyKey: string | undefined;
}

/** @throws TypeError for a value that cannot be part of a path: the text is empty, `.` or `..` */
export function envelopeOf({ name, method, path, takes }: Operation, input: Input): Envelope {
	const { idempotencyKey, ...members } = input;
	const rest = toWire(members) as Record<string, unknown>;
	const place = path.replaceAll(/\{(\w+)\}/g, (_whole, member: string) => {
		const value = input[member];
		if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
			throw new TypeError(`${name}: ${member}: expected a text, not "." or "..".`);
		}
		delete rest[snakeName(member)];
		return encodeURIComponent(value);
	});
	const at = place.replace(/^coa:/, "").replace(/^(?!\/api\/|\/coa\/)/, API_PATH);
	const isSent = takes.some((taken) => !path.includes(`{${taken}}`));
	if (method !== "GET") {
		return {
			at,
			body: isSent ? JSON.stringify(rest) : undefined,
			idempotencyKey: idempotencyKey as string | undefined,
		};
	}
	const query = new URLSearchParams();
	for (const [member, value] of Object.entries(rest))
		for (const one of [value].flat()) query.append(member, String(one));
	return { at: query.size === 0 ? at : `${at}?${query}`, body: undefined, idempotencyKey: undefined };
}
