import type { FakeHoldfast } from "./types.ts";

export interface Told {
	readonly status: number;
	readonly headers: Headers;
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly json: any;
}

/** One request with the fake's key; POST if there is a body. */
export async function ask(
	{ fetch, token }: Pick<FakeHoldfast, "fetch" | "token">,
	path: string,
	body?: unknown,
	headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
	const reply = await fetch(`https://holdfast.test${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			authorization: `Bearer ${token}`,
			...(body === undefined ? {} : { "content-type": "application/json" }),
			...headers,
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await reply.text();
	return { status: reply.status, headers: reply.headers, json: text === "" ? null : JSON.parse(text) };
}

export const CUSTOMER = {
	name: "Ada Example",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

/** A hold of these kits; its token. */
export const reserve = async (fake: FakeHoldfast, sku: string, qty: number): Promise<string> =>
	(await ask(fake, "/api/v1/reserve", { items: [{ sku, qty }] })).json.data.reservation_token as string;

/** The order of such a hold, under this Idempotency-Key. */
export async function order(fake: FakeHoldfast, sku: string, key: string): Promise<Told> {
	const body = { reservation_token: await reserve(fake, sku, 1), customer: CUSTOMER };
	return await ask(fake, "/api/v1/orders", body, { "idempotency-key": key });
}

/** How many kits the key could reserve. */
export const available = async (fake: FakeHoldfast, sku: string): Promise<number> =>
	(await ask(fake, "/api/v1/check", { items: [{ sku, qty: 1 }] })).json.data.items[0].atp_qty as number;
