import type { IncomingMessage, ServerResponse } from "node:http";
import { HoldfastError } from "@holdfast/partner";
import { webhooks } from "@holdfast/partner/webhooks/express";
import { noteEvent } from "./orders.ts";
import type { Shop } from "./shop.ts";

export const HOOK_PATH = "/hooks/holdfast";

/** Receives a post of Holdfast. */
export type Hook = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Registers the endpoint at this address, or finds it. Null: Holdfast refuses it, and the log says what to do. */
export async function openHook(shop: Shop, url: string): Promise<Hook | null> {
	try {
		const secret = await secretOf(shop, url);
		// it is made for Express, whose requests are those of node:http
		const receive = webhooks({ secret, onEvent: (event) => noteEvent(shop, event) });
		return (request, response) =>
			receive(request, response, (error) => {
				shop.log(String(error));
				response.writeHead(500).end(); // Holdfast sends it again
			});
	} catch (error) {
		const advice = error instanceof HoldfastError ? ADVICE[error.code] : undefined;
		if (advice === undefined) throw error;
		shop.log(`No events will arrive at ${url}; orders are read every few minutes instead. ${advice}`);
		return null;
	}
}

const ADVICE: Readonly<Record<string, string>> = {
	invalid_input:
		"If Holdfast runs on this machine, start it with: HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8 npm start. If it does not, set SHOP_URL to a public https address of this shop, such as that of a tunnel.",
	forbidden: "The key lacks the scope atp.webhooks: ask the operator for one that has it.",
};

/** The secret of the endpoint. Holdfast shows a secret once, so one that was lost is replaced. */
async function secretOf({ holdfast, book }: Shop, url: string): Promise<string> {
	const { webhookEndpoints } = holdfast;
	const kept = book.value.endpoint;
	for await (const { endpointId, status, ...endpoint } of webhookEndpoints.list()) {
		if (endpoint.url !== url) continue;
		if (status === "inactive") await webhookEndpoints.update(endpointId, { status: "active" });
		if (kept?.endpointId === endpointId) return kept.secret;
		return await keep(await webhookEndpoints.rotateSecret(endpointId, { overlapHours: 0 }));
	}
	return await keep(await webhookEndpoints.create({ url, description: "The example storefront" }));

	async function keep({ endpointId, secret }: { readonly endpointId: string; readonly secret: string }) {
		await book.change((book) => (book.endpoint = { endpointId, secret }));
		return secret;
	}
}
