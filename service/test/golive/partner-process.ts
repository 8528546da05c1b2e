import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { createCheckout } from "./partner/checkout.ts";
import { createClient } from "./partner/client.ts";
import { goLive, keepMirror } from "./partner/day.ts";
import { createReceiver, type Event } from "./partner/receiver.ts";
import { openShop } from "./partner/shop.ts";
import type { Wrong } from "./partner/wrong.ts";

/*
 * A partner: a shop with a mirror, carts, orders, a receiver of webhooks and a status page, which takes itself live
 * with a sandbox key. It knows about the service only what the guides for partners say. `--wrong`: the one thing that
 * it does wrong. Prints the address of its server. `/desk` of that is for its developer: the secret of its endpoint,
 * and a cart under a production key.
 */

/** Milliseconds between two checks whether the test that started it still runs. */
const LOOK_FOR_PARENT_MS = 10_000;

const { values } = parseArgs({
	options: { wrong: { type: "string" }, unkind: { type: "boolean", default: false } },
});
const { SHOP_API = "", SHOP_COA = "", SHOP_KEY = "" } = process.env;
const wrong = (values.wrong ?? null) as Wrong | null;

// it does not outlive a test that was interrupted
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(), LOOK_FOR_PARENT_MS).unref();

const client = createClient(SHOP_API, SHOP_KEY, wrong);
const shop = openShop(client, SHOP_COA, wrong);
const checkout = createCheckout(client, wrong);
let secret: string | null = null;

/** An event of the type `webhook.test` rehearses what an order would do: one unit is set aside, and given back. */
const act = async ({ id, type }: Event): Promise<void> => {
	if (type !== "webhook.test") return;
	const { token } = await checkout.reserve(`event-${id}`, "SBX-PLENTY", 1);
	if (token !== null) await checkout.release(token);
};
const receive = createReceiver(
	() => secret,
	(event) => void act(event),
	wrong,
);

/** A cart under a production key. */
async function sellOne({ token, sku }: { readonly token: string; readonly sku: string }): Promise<object> {
	client.useKey(token);
	return await checkout.reserve("first-real-cart", sku, 1);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body = Buffer.concat(await request.toArray());
	const reply = (json: object): void =>
		void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
	if (request.url === "/hook") response.writeHead(receive(request.headers, body)).end();
	else if (request.url === "/status.json") reply(shop.shown());
	else if (request.url !== "/desk") response.writeHead(404).end();
	else if (request.method === "POST") reply(await sellOne(JSON.parse(body.toString())));
	else reply({ secret });
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const endpoint = { url: `${address}/hook` };
secret = (await client.ask({ method: "POST", url: "/api/v1/webhook-endpoints", body: endpoint })).data.secret;
await shop.refresh();
console.log(address);
void keepMirror({ client, shop });
await goLive({ client, shop, checkout, wrong, unkind: values.unkind });
