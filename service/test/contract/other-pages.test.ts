import { type IncomingHttpHeaders, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../house.ts";

/*
 * The pages beside the operations, at all three addresses: health, documentation, metrics. They need no key, so they
 * must not reveal anything.
 */

let house: House;
interface Page {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
}

const ports: Record<string, number> = {};

beforeAll(async () => {
	house = await openHouse();
	const [node] = house.nodes;
	for (const name of ["api", "coa", "metrics"] as const) ports[name] = Number(new URL(node?.[name] ?? "").port);
});
afterAll(() => house.close());

/** Sends the target unchanged; fetch and URL would normalise it first. */
function get(address: string, path: string, method = "GET"): Promise<Page> {
	return new Promise((resolve, reject) => {
		const sent = request({ host: "127.0.0.1", port: ports[address] as number, path, method, agent: false });
		sent.on("error", reject);
		sent.on("response", (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				text += chunk;
			});
			response.on("error", reject);
			response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
		});
		sent.end();
	});
}

it.each(["api", "coa"])("A browser at the bare address (%s) is shown the way to the look-up", async (address) => {
	const page = await fetch(`http://127.0.0.1:${ports[address]}/`, { headers: { accept: "text/html" } });
	const [, href = ""] = /href="([^"]+)">Look up a lot</.exec(await page.text()) ?? [];
	const there = new URL(href, page.url);
	expect([there.port, there.pathname]).toEqual([String(ports.coa), "/coa/lookup"]);
	expect((await fetch(there, { headers: { accept: "text/html" } })).status).toBe(200);
});

/** Paths that lead out of a folder of files, and other invalid paths. */
const WAYS_OUT = [
	"/../package.json",
	"/../../package.json",
	"/../../../../../../../../etc/passwd",
	"/%2e%2e/%2e%2e/package.json",
	"/%2e%2e%2f%2e%2e%2fpackage.json",
	"/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
	"/..%5c..%5cpackage.json",
	"/....//....//etc/passwd",
	"/%252e%252e%252fetc%252fpasswd",
	"/%00",
	"/index.html%00.js",
	"/%ff%fe",
	"/%zz",
	"/%",
	"//etc/passwd",
	"/.",
	"/..",
	"/.git/config",
	"/package.json",
	"/node_modules",
	"/CON",
	`/${"a/".repeat(3_000)}`,
	`/${"x".repeat(8_000)}`,
	"/;x",
	"/__proto__",
	"/constructor",
	"?__proto__=1",
	"?url=https://example.com/evil.json",
	"#x",
];

describe("Pages beside the operations", () => {
	it.each(["api", "coa", "metrics"])(
		"at the address %s no path leads out of them, and none breaks the service",
		async (address) => {
			for (const base of ["", "/docs", "/docs/static", "/livez", "/readyz", "/metrics", "/api/v1"]) {
				for (const way of WAYS_OUT) {
					const { status, text } = await get(address, base + way || "/");
					expect([base + way, status < 500]).toEqual([base + way, true]);
					expect(text).not.toMatch(/root:|"workspaces"|\[core\]|node_modules\//);
				}
			}
			expect((await get("api", "/livez")).status).toBe(200);
		},
	);

	it.each(["api", "coa"])(
		"at the address %s every method on every page is answered, and only reading does anything",
		async (address) => {
			for (const path of ["/docs", "/livez", "/readyz", "/"]) {
				for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
					const { status, headers } = await get(address, path, method);
					expect([path, method, status >= 400 && status < 500]).toEqual([path, method, true]);
					expect(headers["x-request-id"]).toBeDefined();
				}
			}
		},
	);

	it("the COA address knows the API's operations no more than any other path", async () => {
		const nothing = await get("coa", "/api/v1/nothing");
		for (const path of ["/api/v1/reserve", "/api/v1/check", "/api/v1/inventory?sku=A", "/api/v1/products"]) {
			const { status, text } = await get("coa", path);
			expect([path, status, text]).toEqual([path, nothing.status, nothing.text]);
		}
		expect(nothing.status).toBe(404);
	});

	it("the documentation brings its own script and style, loads nothing from elsewhere, and may not be framed", async () => {
		const page = await get("api", "/docs");
		expect(page.status).toBe(200);
		const policy = String(page.headers["content-security-policy"]);
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("frame-ancestors 'none'");
		const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string);
		expect(linked.length).toBeGreaterThan(2);
		for (const link of linked) {
			if (link === "data:,") continue; // no picture
			const url = new URL(link, "http://holdfast.test/docs");
			expect([link, url.host]).toEqual([link, "holdfast.test"]);
			expect([link, (await get("api", url.pathname)).status]).toEqual([link, 200]);
		}
	});
});
