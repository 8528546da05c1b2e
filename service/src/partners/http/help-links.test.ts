import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../../../test/house.ts";
import { raw } from "../../../test/raw.ts";
import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";
import { createHelpLinks } from "./help-links.ts";

it("every code has its link, below the address that is known last", () => {
	const help = createHelpLinks("https://api.example.com");
	const early = createHelpLinks();
	for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
		expect(help.of(code)).toBe(`<https://api.example.com/docs/errors/${code}>; rel="help"`);
		expect(early.of(code)).toBe(`</docs/errors/${code}>; rel="help"`);
	}
	early.standAt("http://127.0.0.1:4000");
	expect(early.of("gone")).toBe('<http://127.0.0.1:4000/docs/errors/gone>; rel="help"');
	early.standAt("http://0.0.0.0:4000");
	expect(early.of("gone")).toBe('</docs/errors/gone>; rel="help"');
});

describe.each([
	["HOLDFAST_URL", { HOLDFAST_URL: "https://api.example.com/stock/" }, "https://api.example.com/stock"],
	["the bound address of the API when HOLDFAST_URL is not set", {}, null],
])("Every error leads to the page about its code, below %s", (_what, env, url) => {
	let house: House;
	let base: string;

	beforeAll(async () => {
		house = await openHouse({ env });
		base = url ?? house.api;
	});
	afterAll(() => house.close());

	const told = async (address: "api" | "coa" | "metrics", path: string, init: RequestInit = {}) => {
		const answer = await fetch((house.nodes[0]?.[address] ?? "") + path, init);
		const { error } = (await answer.json()) as { error: { code: string } };
		return [answer.status, error.code, answer.headers.get("link")];
	};
	const expected = (status: number, code: string) => [status, code, `<${base}/docs/errors/${code}>; rel="help"`];

	it("and the page is there", async () => {
		for (const code of Object.keys(ERROR_STATUS)) {
			const page = await fetch(`${house.api}/docs/errors/${code}`);
			expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
			expect(await page.text()).toContain(`<h1 id="${code}"><code>${code}</code></h1>`);
		}
		for (const none of ["nothing", "README", "README.md", "nothing.md", "..%2Fglossary", "constructor"]) {
			expect((await fetch(`${house.api}/docs/errors/${none}`)).status).toBe(404);
		}
	});

	it("on the partner API", async () => {
		const { token } = await house.mint({ scopes: ["atp.check"], requestsPerMinute: 2 });
		const headers = { authorization: `Bearer ${token}` };
		expect(await told("api", "/api/v1/products")).toEqual(expected(401, "unauthorized"));
		expect(await told("api", "/api/v1/products", { headers })).toEqual(expected(403, "forbidden"));
		expect(await told("api", "/api/v1/check", { method: "POST", headers })).toEqual(expected(400, "bad_request"));
		expect(await told("api", "/api/v1/products", { headers })).toEqual(expected(429, "rate_limited"));
		expect(await told("api", "/api/v1/nothing")).toEqual(expected(404, "not_found"));
		expect(await told("api", "/livez", { method: "POST" })).toEqual(expected(405, "bad_request"));
		expect(await told("api", "/%")).toEqual(expected(400, "bad_request"));
	});

	it("on the COA address, below /docs, and at the address of the metrics", async () => {
		expect(await told("coa", "/api/v1/products")).toEqual(expected(404, "not_found"));
		expect(await told("api", "/docs/nothing")).toEqual(expected(404, "not_found"));
		expect(await told("api", "/docs", { method: "POST" })).toEqual(expected(405, "bad_request"));
		expect(await told("metrics", "/")).toEqual(expected(404, "not_found"));
	});

	it("where the request hardly is HTTP", async () => {
		for (const bytes of ["hello\r\n\r\n", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"]) {
			expect(await raw(Number(new URL(house.api).port), bytes)).toContain(
				`\r\nLink: <${base}/docs/errors/bad_request>; rel="help"\r\n`,
			);
		}
	});

	it("and no success carries one", async () => {
		const { token } = await house.mint({ scopes: ["atp.products"] });
		const answer = await house.call(token, "/api/v1/products");
		expect([answer.status, answer.headers.get("link")]).toEqual([200, null]);
		expect((await fetch(`${house.api}/livez`)).headers.get("link")).toBeNull();
	});
});
