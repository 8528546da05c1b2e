import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a shop shows for a SKU, as its status address has it. */
export interface ShownBySku {
	readonly sku: string;
	readonly shown_qty?: number | null;
	readonly hidden?: boolean;
	readonly coa_url?: string | null;
}

/** A partner's shop on this machine: a status address, and a receiver of webhooks that keeps the contract's rules. */
export interface PretendedShop {
	readonly statusUrl: string;
	readonly hookUrl: string;
	/** What it shows; the number of times it was looked at. */
	shows: readonly ShownBySku[];
	readonly looks: () => number;
	/** The secret of its endpoint, `whsec_…`; null: it accepts every message. */
	secret: string | null;
	/** Each message with the status of the answer. */
	readonly messages: readonly { readonly id: string; readonly status: number }[];
	close(): Promise<void>;
}

/** Seconds by which a timestamp may be off (contract, section 6). */
const TOLERANCE_SECONDS = 300;

export async function openPretendedShop(): Promise<PretendedShop> {
	const messages: { id: string; status: number }[] = [];
	let looks = 0;
	const server = createServer((request, response) => void answer(request, response));
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		if (request.url === "/status.json") {
			looks++;
			return void response
				.writeHead(200, { "content-type": "application/json" })
				.end(JSON.stringify({ items: shop.shows }));
		}
		if (request.url === "/elsewhere.json") return void response.writeHead(302, { location: "/status.json" }).end();
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const status = statusFor(shop.secret, request, Buffer.concat(chunks).toString());
		messages.push({ id: String(request.headers["webhook-id"]), status });
		response.writeHead(status).end();
	};
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const shop: PretendedShop = {
		statusUrl: `${origin}/status.json`,
		hookUrl: `${origin}/hook`,
		shows: [],
		looks: () => looks,
		secret: null,
		messages,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
	return shop;
}

/** 200, or 400 for an old message, or 401 for one that no signature proves. */
function statusFor(secret: string | null, { headers }: IncomingMessage, body: string): number {
	if (secret === null) return 200;
	const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
		String(headers[name]),
	);
	if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return 400;
	const own = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
		.update(`${id}.${timestamp}.${body}`)
		.digest();
	const isOwn = (one: string): boolean => {
		const sent = Buffer.from(one.replace(/^v1,/, ""), "base64");
		return sent.length === own.length && timingSafeEqual(sent, own);
	};
	return signatures?.split(" ").some(isOwn) === true ? 200 : 401;
}
