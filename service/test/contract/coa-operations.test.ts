import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COA_OPERATIONS } from "../../src/assembly/surfaces.ts";
import { CURRENT_API_DATE, SCOPES } from "../../src/glossary.ts";
import { pathWith } from "./client.ts";
import { type CoaWorld, openCoaWorld } from "./coa-world.ts";

/* Properties of every operation of the COA address, as of those of the partner API. */

let world: CoaWorld;
let token: string;
let addresses = 0;

beforeAll(async () => {
	world = await openCoaWorld({ HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8" });
	({ token } = await world.key());
});
afterAll(() => world.stop());

const ask = (at: string, options: { token?: string; headers?: Record<string, string>; method?: string } = {}) =>
	world.ask(at, {
		...options,
		headers: { accept: "application/json", "x-forwarded-for": `203.0.113.${++addresses % 250}`, ...options.headers },
	});
const NAMED = COA_OPERATIONS.map((operation) => [operation.id, operation] as const);
const KEYED = NAMED.filter(([, { scope }]) => scope !== null);

describe("Every operation of the COA address", () => {
	it.each(NAMED)("%s: carries the headers of every reply, whatever the answer", async (_id, operation) => {
		const path = pathWith(operation);
		for (const answer of [
			await ask(path, { token }),
			await ask(`${path}?nonsense=1`, { token }),
			await ask(path, { token, method: "DELETE" }),
			await ask(`${path}/nothing`, { token }),
		]) {
			expect(answer.headers.get("x-partner-version")).toBe(CURRENT_API_DATE);
			expect(answer.headers.get("x-request-id")).toMatch(/^req_\w+$/);
			expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
		}
	});

	it.each(NAMED)("%s: another method is 405 with Allow, and an unknown parameter 400", async (_id, operation) => {
		const path = pathWith(operation);
		const allow = operation.conditional ? "GET, HEAD" : "GET";
		for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
			const answer = await ask(path, { method });
			expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
		}
		expect((await ask(`${path}?nonsense=1`, { token })).json.error.code).toBe("invalid_input");
	});

	it.each(KEYED)("%s: wants a key, then its date, then its scope", async (_id, operation) => {
		const path = pathWith(operation);
		const none = await ask(`${path}?nonsense=1`, { headers: { "x-partner-version": "1999-01-01" } });
		expect([none.json.error.code, none.headers.get("www-authenticate")]).toEqual(["unauthorized", "Bearer"]);
		const dated = await ask(path, { token, headers: { "x-partner-version": "2999-01-01" } });
		expect(dated.json.error.code).toBe("unsupported_version");
		const others = await world.key({ scopes: SCOPES.filter((scope) => scope !== operation.scope) });
		expect((await ask(`${path}?nonsense=1`, others)).json.error.code).toBe("forbidden");
		const { token: slow } = await world.key({ requestsPerMinute: 1 });
		await ask(path, { token: slow });
		const refused = await ask(path, { token: slow });
		expect([refused.json.error.code, refused.headers.get("retry-after")]).toEqual([
			"rate_limited",
			expect.stringMatching(/^[1-9]\d*$/),
		]);
	});

	it.each(NAMED)(
		"%s: when the database fails, says so in the envelope and works again afterwards",
		async (_id, operation) => {
			const path = operation.id === "coaLookup" ? `${pathWith(operation)}?lot=C-1` : pathWith(operation);
			for (const table of ["certificate", "certificate_epoch"])
				await world.db.query(`alter table ${table} rename to gone_${table}`);
			const failed = await ask(path, { token });
			for (const table of ["certificate", "certificate_epoch"])
				await world.db.query(`alter table gone_${table} rename to ${table}`);
			expect(failed.json.error.code).toBe("internal_error");
			expect(failed.text).not.toMatch(/certificate_epoch|relation|sql|postgres/i);
			expect((await ask(path, { token })).status).toBeLessThan(500);
		},
	);

	it("are documented at /docs of the address", async () => {
		const { paths } = (await (await fetch(`${world.coa}/docs/json`)).json()) as { paths: object };
		expect(Object.keys(paths)).toHaveLength(COA_OPERATIONS.length);
	});
});
