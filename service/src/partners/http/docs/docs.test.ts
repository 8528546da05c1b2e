import { afterAll, beforeAll, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/house.ts";
import { addHealth } from "../health.ts";
import { createMetrics, createMetricsServer } from "../metrics.ts";
import { addDocs } from "./add-docs.ts";

let database: TestDatabase;
let doors: Doors;
let obstacle: string | null = null;

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db, {
		extend: (gate, server) => {
			addDocs(server, gate);
			addHealth(server, async () => obstacle);
		},
	});
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

it("/docs shows guides and reference with every asset from here, and lets nothing else in", async () => {
	const pages = [
		"/docs",
		"/docs/guides/holds",
		"/docs/errors",
		"/docs/errors/gone",
		"/docs/changelog",
		"/docs/reference",
	];
	for (const at of [...pages, "/docs/reference/echo"]) {
		const page = await fetch(doors.origin + at);
		const html = await page.text();
		expect([at, page.status, page.headers.get("content-type")]).toEqual([at, 200, "text/html; charset=utf-8"]);
		expect(page.headers.get("content-security-policy")).toMatch(
			/^default-src 'none'; script-src 'self'; style-src 'self'; /,
		);
		expect(page.headers.get("content-security-policy")).not.toContain("unsafe");
		expect(html).not.toMatch(/ style=|<style|<script(?![^>]* src=)| on\w+=/);
		const assets = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(
			([, url]) => new URL(url ?? "", doors.origin + at),
		);
		expect(assets.length).toBeGreaterThan(2);
		for (const url of assets.filter(({ protocol }) => protocol !== "data:")) {
			expect(url.origin).toBe(doors.origin);
			const asset = await fetch(url);
			expect([url.pathname, asset.status]).toEqual([url.pathname, 200]);
			await asset.arrayBuffer();
		}
	}
	const document = (await (await fetch(`${doors.origin}/docs/json`)).json()) as { openapi: string; paths: object };
	expect(document.openapi).toBe("3.1.0");
	expect(Object.keys(document.paths)).toContain("/api/v1/echo");
});

it("a page that is sought without its folder is named", async () => {
	const ask = async (path: string): Promise<string> =>
		(await fetch(doors.origin + path, { headers: { accept: "text/html" } })).text();
	expect(await ask("/docs/quickstart")).toContain(
		'Perhaps you are looking for <a href="guides/quickstart">Quickstart</a>.',
	);
	expect(await ask("/docs/nothing")).not.toContain("Perhaps you are looking for");
});

it("what is not there below /docs is answered in the envelope; a slash too many leads to the page", async () => {
	for (const path of [
		"/docs/nothing",
		"/docs/assets/nothing.js",
		"/docs/assets/%2e%2e/%2e%2e/package.json",
		"/docs/%00",
		"/docs/constructor",
	]) {
		const answer = await fetch(doors.origin + path);
		const told = (await answer.json()) as { error: { code: string; message: string } };
		expect([path, answer.status, told]).toEqual([
			path,
			404,
			{ error: { code: "not_found", message: expect.any(String) } },
		]);
		expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
		expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
		expect(answer.headers.get("link")).toBe('</docs/errors/not_found>; rel="help"');
	}
	expect((await fetch(`${doors.origin}/docs`, { method: "POST" })).status).toBe(405);
	for (const path of ["/docs/", "/docs/guides/holds/", "/docs/errors/"]) {
		const answer = await fetch(doors.origin + path);
		expect([path, answer.status, answer.url]).toEqual([path, 200, doors.origin + path.slice(0, -1)]);
	}
});

it("a page that has not changed is not sent again", async () => {
	const first = await fetch(`${doors.origin}/docs/guides/holds`);
	const etag = first.headers.get("etag") ?? "";
	const again = await fetch(`${doors.origin}/docs/guides/holds`, { headers: { "if-none-match": etag } });
	expect([etag.length > 10, again.status, await again.text()]).toEqual([true, 304, ""]);
});

it("/livez answers while the process does, /readyz only while it can serve", async () => {
	const look = async (page: string) => {
		const response = await fetch(doors.origin + page);
		expect(response.headers.get("x-request-id")).toMatch(/^req_/);
		return [response.status, await response.json()];
	};
	expect(await look("/livez")).toEqual([200, { data: { status: "ok" } }]);
	expect(await look("/readyz")).toEqual([200, { data: { status: "ready" } }]);
	obstacle = "the database does not answer";
	expect(await look("/readyz")).toEqual([
		503,
		{ error: { code: "internal_error", message: "Not ready: the database does not answer." } },
	]);
	expect((await look("/livez"))[0]).toBe(200);
	for (const [page, status] of [
		["/livez", 200],
		["/readyz", 503],
	] as const) {
		const head = await fetch(doors.origin + page, { method: "HEAD" });
		expect([head.status, await head.text()]).toEqual([status, ""]);
		expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
		expect(head.headers.get("link")).toBe(status === 503 ? '</docs/errors/internal_error>; rel="help"' : null);
	}
	expect((await fetch(`${doors.origin}/livez`, { method: "POST" })).headers.get("allow")).toBe("GET, HEAD");
});

it("the metrics count replies by operation and status, and their time", async () => {
	const metrics = createMetrics();
	const count = metrics.operation("reserve");
	metrics.gauge("holdfast_test", "A test.", () => 7);
	for (const [status, ms] of [
		[201, 0.5],
		[201, 30],
		[409, 20_000],
	] as const)
		count(status, ms);
	const server = createMetricsServer(metrics);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	const other = await fetch(`http://127.0.0.1:${port}/`);
	const written = await fetch(`http://127.0.0.1:${port}/metrics`, { method: "POST" });
	expect([other.status, await other.json()]).toEqual([
		404,
		{ error: { code: "not_found", message: expect.any(String) } },
	]);
	expect([written.status, written.headers.get("allow")]).toEqual([405, "GET"]);
	expect(await written.json()).toEqual({ error: { code: "bad_request", message: expect.any(String) } });
	server.close();
	for (const line of [
		'holdfast_http_requests_total{operation="reserve",status="201"} 2',
		'holdfast_http_requests_total{operation="reserve",status="409"} 1',
		'holdfast_http_request_seconds_bucket{le="0.001",operation="reserve"} 1',
		'holdfast_http_request_seconds_bucket{le="0.05",operation="reserve"} 2',
		'holdfast_http_request_seconds_bucket{le="+Inf",operation="reserve"} 3',
		'holdfast_http_request_seconds_count{operation="reserve"} 3',
		"holdfast_test 7",
	]) {
		expect(text.split("\n")).toContain(line);
	}
});
