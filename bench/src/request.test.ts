import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { Histogram } from "./histogram.ts";
import { HoldNumbers, References, RenderedRequest } from "./request.ts";

const TEMPLATE = {
	method: "POST",
	path: "/sku/{sku}",
	body: '{"items":[{"sku":"{sku}"},{"sku":"{sku}"}],"external_ref":"{ref}"}',
} as const;

describe("The load generator", () => {
	it("sends requests that an HTTP server reads as they were meant, no reference twice", async () => {
		const seen: { url: string; body: { items: { sku: string }[]; external_ref: string } }[] = [];
		const server = createServer((request, response) => {
			let text = "";
			request.on("data", (chunk: Buffer) => {
				text += chunk.toString();
			});
			request.on("end", () => {
				seen.push({ url: request.url ?? "", body: JSON.parse(text) });
				response.writeHead(201, { "Content-Length": 200_000 }).end("x".repeat(200_000));
			});
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const references = new References("test");
		const request = new RenderedRequest(TEMPLATE, "127.0.0.1", "pk:sk", references.width);
		const statuses: number[] = [];
		await new Promise<void>((resolve, reject) => {
			const send = (): void => {
				request.renew(1_000, references, new HoldNumbers(0, 1));
				connection.send(request.bytes);
			};
			const connection = new Connection(
				{ host: "127.0.0.1", port: (server.address() as AddressInfo).port },
				(status) => {
					if (statuses.push(status) < 50) return send();
					connection.close();
					resolve();
				},
				() => reject(new Error("the connection broke")),
			);
			connection.open().then(send, reject);
		});
		await new Promise((resolve) => server.close(resolve));
		expect(statuses).toEqual(Array(50).fill(201));
		expect(new Set(seen.map(({ body }) => body.external_ref)).size).toBe(50);
		for (const { url, body } of seen) {
			expect(url).toMatch(/^\/sku\/000\d{3}$/);
			expect(body.items.every(({ sku }) => /^000\d{3}$/.test(sku))).toBe(true);
		}
	});

	it("knows every quantile of what it saw to within 2 %", () => {
		const histogram = new Histogram();
		for (let ms = 1; ms <= 1_000; ms++) histogram.add(ms);
		for (const share of [0.01, 0.5, 0.99, 1]) {
			const ratio = histogram.quantile(share) / (share * 1_000);
			expect(Math.abs(ratio - 1)).toBeLessThan(0.02);
		}
	});
});
