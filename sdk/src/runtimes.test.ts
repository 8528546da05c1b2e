import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newWebhookSecret } from "../../service/src/partners/webhooks/secret.ts";
import { hasBrowser, openBrowser } from "../../service/test/pages/browser.ts";
import { builtPackage } from "./built-for-tests.ts";
import { createFakeHoldfast } from "./testing/index.ts";

/*
 * The built package in each runtime that it is for, against the fake over HTTP. The Node that runs the tests is always
 * there; `node22`, `deno` and `bun` are used where they are on the PATH.
 */

const run = promisify(execFile);
const SKU = "SERUM-30";
const secret = newWebhookSecret();

let folder = "";
let dist = "";
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "holdfast-runtimes-"));
	dist = await builtPackage();
});
afterAll(async () => {
	for (const close of closing) await close();
	await rm(folder, { recursive: true, force: true });
});

async function serve(listener: RequestListener): Promise<string> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closing.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A fake on a socket, with an event that is signed for an endpoint. */
async function openFake() {
	const world = { stock: { [SKU]: 12 }, certificates: [{ slug: "serum", batchNumber: "B1" }] };
	const fake = createFakeHoldfast({ world });
	const url = await serve((request, response) => {
		const answer = async (): Promise<void> => {
			const bytes = Buffer.concat(await request.toArray());
			const { method = "", url: at = "", headers } = request;
			const reply = await fake.fetch(`http://holdfast.test${at}`, {
				method,
				headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
				...(bytes.length === 0 ? {} : { body: bytes }),
			});
			response.writeHead(reply.status, [...reply.headers].flat()).end(Buffer.from(await reply.arrayBuffer()));
		};
		void answer();
	});
	fake.world.setCertificate({ slug: "serum", batchNumber: "B2" });
	return { fake, url };
}

/** What a program is given: the fake's address, and one of its events. */
async function given() {
	const { fake, url } = await openFake();
	const call = (at: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
		fake.fetch(`http://holdfast.test${at}`, {
			method: "POST",
			headers: { authorization: `Bearer ${fake.token}`, "content-type": "application/json", ...headers },
			body: JSON.stringify(body),
		});
	const held = await call("/api/v1/reserve", { items: [{ sku: SKU, qty: 2 }] });
	const { data } = (await held.json()) as { readonly data: { readonly reservation_token: string } };
	const ship_to = { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
	const order = { reservation_token: data.reservation_token, customer: { name: "Ada", ship_to } };
	await call("/api/v1/orders", order, { "idempotency-key": "cart-1" });
	fake.world.ship("cart-1");
	await fake.clock.set(Date.now()); // the signature is made now, and the receiver has its own clock
	return { url, token: fake.token, sku: SKU, secret, event: fake.world.events[0]?.signed(secret) };
}

/** The same work in every runtime. `kit` and `given` are defined; it ends with an object. */
const WORK = `
	const { Holdfast, HoldfastError, InventoryMirror, memoryStore, verifyWebhook } = kit;
	const refused = (promise) => promise.then(() => "granted", (error) => error);
	const holdfast = new Holdfast({ baseUrl: given.url, token: given.token });
	const [line] = await holdfast.check([{ sku: given.sku, qty: 1 }]);
	const hold = await holdfast.reserve({ items: [{ sku: given.sku, qty: 3 }], externalRef: "cart-2" });
	const mirror = new InventoryMirror({ holdfast, skus: { mine: given.sku }, store: memoryStore(), onAlert() {} });
	await mirror.start();
	const shown = mirror.count("mine");
	await mirror.stop();
	const released = await holdfast.release(hold.token);
	const short = await refused(holdfast.reserve({ items: [{ sku: given.sku, qty: 99 }] }));
	const event = await verifyWebhook(given.event, given.secret);
	const forged = await refused(verifyWebhook({ ...given.event, body: given.event.body + " " }, given.secret));
	const result = {
		atp: line.atpQty.qty,
		expires: hold.expiresAt instanceof Date,
		shown: shown.qty,
		released: released.ok,
		short: [short instanceof HoldfastError, short.code, short.status],
		event: [event.type, event.data.shipment.shippedAt instanceof Date],
		forged: forged.code,
	};
`;
const RESULT = {
	atp: 10,
	expires: true,
	shown: 7,
	released: true,
	short: [true, "no_inventory", 409],
	event: ["order.shipped", true],
	forged: "signature_mismatch",
};

/** The entries that need nothing but globals of the web. */
const ENTRIES = ["index.js", "mirror/index.js", "webhooks/index.js"];

/** The work as a module, and a unit test of a partner's with the fake inside the runtime. */
async function writeProgram(): Promise<string> {
	const at = (entry: string) => JSON.stringify(path.join(dist, entry));
	const text = `
		${ENTRIES.map((entry, index) => `import * as entry${index} from ${at(entry)};`).join("\n")}
		import { createFakeHoldfast } from ${at("testing/index.js")};
		const kit = { ${ENTRIES.map((_entry, index) => `...entry${index}`).join(", ")} };
		const given = ${JSON.stringify(await given())};
		${WORK}
		const fake = createFakeHoldfast({ world: { stock: { A: 5 } } });
		const own = new Holdfast({ baseUrl: "https://holdfast.test", token: fake.token, fetch: fake.fetch });
		const [inside] = await own.check([{ sku: "A", qty: 1 }]);
		console.log(JSON.stringify({ ...result, inside: inside.atpQty.qty }));
	`;
	const program = path.join(folder, `program-${closing.length}.mjs`);
	await writeFile(program, text);
	return program;
}

function onPath(name: string): string | null {
	for (const one of (process.env.PATH ?? "").split(path.delimiter)) {
		try {
			const file = path.join(one, name);
			accessSync(file, constants.X_OK);
			return file;
		} catch {
			// not in this folder
		}
	}
	return null;
}

const RUNTIMES = [
	["the Node of the tests", process.execPath, []],
	["Node 22", onPath("node22"), []],
	["Deno", onPath("deno"), ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--allow-all"]],
	["Bun", onPath("bun"), ["run"]],
] as const;

describe("The package works", () => {
	for (const [name, executable, options] of RUNTIMES) {
		it.skipIf(executable === null)(`in ${name}`, async () => {
			const { stdout } = await run(executable ?? "", [...options, await writeProgram()], { cwd: folder });
			expect(JSON.parse(stdout)).toEqual({ ...RESULT, inside: 5 });
		});
	}

	it("where there are only globals of the web", async () => {
		const input = path.join(folder, "kit.mjs");
		const from = (entry: string) => `export * from ${JSON.stringify(path.join(dist, entry))};`;
		await writeFile(input, ENTRIES.map(from).join("\n"));
		const build = await rolldown({ input, external: /^node:/ });
		const { output } = await build.generate({ format: "iife", name: "kit" });
		await build.close();
		const web = { AbortController, AbortSignal, Headers, Request, Response, URL, URLSearchParams, crypto, fetch };
		const more = { setTimeout, clearTimeout, TextEncoder, TextDecoder, atob, btoa, performance };
		const context = createContext({ ...web, ...more, given: await given() });
		runInContext(output[0].code, context);
		const text = (await runInContext(`(async () => { ${WORK} return JSON.stringify(result); })()`, context)) as string;
		expect(JSON.parse(text)).toEqual(RESULT);
	});

	it.skipIf(onPath("node22") === null)("as a command in Node 22", async () => {
		const { stdout } = await run(onPath("node22") ?? "", [path.join(dist, "bin/holdfast-partner.js"), "--help"]);
		expect(stdout).toContain("mirror check");
	});
});

describe.skipIf(!hasBrowser)("In a browser", () => {
	it("a page of another origin looks a lot up, without a key, and cannot hold one", async () => {
		const { url } = await openFake();
		const shop = await serve((request, response) => {
			const file = (request.url ?? "/").slice(1);
			if (!/^[\w/-]+\.js$/.test(file)) return void response.setHeader("Content-Type", "text/html").end();
			void readFile(path.join(dist, file)).then(
				(bytes) => response.setHeader("Content-Type", "text/javascript").end(bytes),
				() => response.writeHead(404).end(),
			);
		});
		const browser = await openBrowser();
		try {
			const page = await browser.newPage();
			await page.goto(`${shop}/shop`);
			const told = await page.evaluate(`(async () => {
				const { Holdfast, HoldfastError } = await import("/index.js");
				const { coa } = new Holdfast({ coaUrl: ${JSON.stringify(url)} });
				const found = await coa.lookup("B2");
				const unknown = await coa.lookup("B3").catch((error) => error);
				let secret;
				try { new Holdfast({ baseUrl: "/", token: "pk_a:sk_a" }); } catch (error) { secret = String(error); }
				return [found.items.map(({ batchNumber }) => batchNumber), unknown instanceof HoldfastError, unknown.code, unknown.help, secret];
			})()`);
			expect(told).toEqual([
				["B2"],
				true,
				"not_found",
				"https://api.holdfast.test/docs/errors/not_found",
				expect.stringContaining("browser"),
			]);
		} finally {
			await browser.close();
		}
	});
});
