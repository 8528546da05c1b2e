import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Child, killAll, start, until } from "../../service/test/processes/child.ts";
import { freePort, type NewShop, openStreet, type Street } from "./shop-for-tests.ts";
import { FIELDS } from "./visitor-for-tests.ts";

/** The process of the shop, killed at each request of a sale, and started again. */

interface Moment {
	readonly method: string;
	readonly path: string;
	/** Whether the service has done what was asked. */
	readonly isDone: boolean;
}

const START = join(import.meta.dirname, "start.ts");

let street: Street;
const proxies: (() => Promise<void>)[] = [];

beforeAll(async () => {
	street = await openStreet();
}, 60_000);
afterEach(async () => {
	await killAll();
	await Promise.all(proxies.splice(0).map((close) => close()));
});
afterAll(async () => {
	await street.close();
});

/** Stands between the shop and the service. `reached`: called at the moment, whose answer then never arrives. */
async function openProxy(to: string, moment: Moment, reached: () => void): Promise<string> {
	let isOver = false;
	const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { method = "", url = "", headers } = request;
		const isMoment = !isOver && method === moment.method && url.split("?")[0] === moment.path;
		if (isMoment) isOver = true;
		if (isMoment && !moment.isDone) return reached();
		const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...others } = headers;
		const body = Buffer.concat(chunks);
		const reply = await fetch(to + url, {
			method,
			headers: others as Record<string, string>,
			...(body.length > 0 && { body }),
		});
		const text = await reply.text();
		if (isMoment) return reached();
		response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(text);
	};
	const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
	const port = await freePort();
	await new Promise<void>((resolve) => {
		server.listen(port, "127.0.0.1", resolve);
	});
	proxies.push(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return `http://127.0.0.1:${port}`;
}

function startShop({ coaUrl, token, port, folder }: NewShop, url: string): Child {
	const shell = Object.entries(process.env).filter(([name]) => !/^(?:HOLDFAST_|SHOP_|INIT_CWD)/.test(name));
	return start(process.execPath, [START], {
		env: {
			...Object.fromEntries(shell),
			HOLDFAST_URL: url,
			HOLDFAST_COA_URL: coaUrl,
			HOLDFAST_TOKEN: token,
			PORT: String(port),
			SHOP_FOLDER: folder,
		},
		cwd: street.folder,
	});
}

async function post(shop: NewShop, path: string, form: Record<string, string>, cart: string): Promise<Response> {
	return await fetch(shop.address + path, {
		method: "POST",
		body: new URLSearchParams(form),
		headers: { cookie: `cart=${cart}` },
		redirect: "manual",
	});
}

/** Whether the shop knows the stock, which is shown once it has started. */
const knowsStock = async ({ address }: NewShop): Promise<boolean> =>
	await fetch(`${address}/products/night-cream`).then(
		async (reply) => (await reply.text()).includes("in stock</p>"),
		() => false,
	);

describe("A storefront that is killed", () => {
	it.each<Moment>([
		{ method: "GET", path: "/api/v1/holds", isDone: false },
		{ method: "POST", path: "/api/v1/reserve", isDone: false },
		{ method: "POST", path: "/api/v1/reserve", isDone: true },
		{ method: "POST", path: "/api/v1/orders", isDone: false }, // between payment and order
		{ method: "POST", path: "/api/v1/orders", isDone: true },
	])("at $method $path (done: $isDone) has one order and one charge after its restart", async (moment) => {
		const shop = await street.newShop();
		const killed = Promise.withResolvers<void>();
		const url = await openProxy(shop.url, moment, () => killed.resolve(first.kill()));
		const first = startShop(shop, url);
		await until("the shop to know its stock", () => knowsStock(shop));
		const filled = await post(shop, "/cart", { product: "night-cream", qty: "2" }, "");
		const cart = /cart=([^;]+)/.exec(filled.headers.get("set-cookie") ?? "")?.[1] ?? "";
		await expect(post(shop, "/checkout", { ...FIELDS, card: "good" }, cart)).rejects.toThrow();
		await killed.promise;
		const isOrderReached = moment.path === "/api/v1/orders";
		expect(await shop.payments()).toEqual(isOrderReached ? ["paid"] : []);

		startShop(shop, url);
		const order = await until("the order to be found", async () => {
			const reply = await fetch(`${shop.address}/orders/${cart}`).catch(() => null);
			const text = (await reply?.text()) ?? "";
			return text.includes("Thank you for your order") && text;
		});
		expect(order).toContain("2 × Night cream");
		expect((await shop.call("/api/v1/orders")).json.data.items).toMatchObject([{ ref: cart, status: "placed" }]);
		expect(await shop.payments()).toEqual(["paid"]);
		expect((await shop.call("/api/v1/inventory?sku=SBX-LOW")).json.data.totals.atp).toBe(1);
	});

	it("keeps its endpoint and its mirrors over a restart", async () => {
		const shop = await street.newShop();
		const endpoints = async () => (await shop.call("/api/v1/webhook-endpoints")).json.data.items;
		const first = startShop(shop, shop.url);
		await until("the endpoint", async () => (await endpoints()).length === 1);
		const [before] = await endpoints();
		await until("its secret to be kept", async () => (await shop.payments()) && (await knowsStock(shop)));
		expect(await first.stop()).toBe(0);
		startShop(shop, shop.url);
		await until("the shop to know its stock", () => knowsStock(shop));
		await shop.call(`/api/v1/webhook-endpoints/${before.endpoint_id}/test`, {});
		await until("the event to be received", async () => {
			const { items } = (await shop.call(`/api/v1/webhook-endpoints/${before.endpoint_id}/deliveries`)).json.data;
			return items.at(-1)?.status === "delivered";
		});
		expect(await endpoints()).toHaveLength(1);
	});
});

describe("A storefront that cannot start says why", () => {
	const ended = async (env: Record<string, string>): Promise<[number | string, string]> => {
		const child = start(process.execPath, [START], { env: { PATH: process.env.PATH, ...env }, cwd: street.folder });
		return [await child.exited, child.errors.join("\n")];
	};

	it.each<[string, Record<string, string>, string]>([
		["without a key", {}, "HOLDFAST_TOKEN is missing"],
		["with half a key", { HOLDFAST_TOKEN: "pk_hf_sandbox_x" }, "expected pk_…:sk_…"],
		["elsewhere without the address of certificates", remote(), "HOLDFAST_COA_URL is missing"],
	])("%s", async (_title, env, sentence) => {
		const [code, errors] = await ended({ ...env, SHOP_FOLDER: join(street.folder, "none") });
		expect(errors).toContain(sentence);
		expect(errors.split("\n")).toHaveLength(1);
		expect(code).toBe(1);
	});
});

function remote(): Record<string, string> {
	return { HOLDFAST_URL: "https://api.example.com", HOLDFAST_TOKEN: "pk_x:sk_x" };
}
