import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../../../test/house.ts";
import { keepSecretsOf } from "../../../test/leaks/secrets.ts";
import { type As, operate } from "../../../test/operate.ts";
import { MintToken } from "../operators/contract.ts";
import { InvitePerson } from "../people/people-contract.ts";
import { isEverywhere, reachedAt } from "./reached-at.ts";

it.each([
	["https://api.example.com/stock", "evil.example.com", {}, "https://api.example.com/stock"],
	["http://127.0.0.1:4000", "holdfast.lan:4000", {}, "http://127.0.0.1:4000"],
	["http://0.0.0.0:4000", "holdfast.lan:8080", {}, "http://holdfast.lan:8080"],
	["http://0.0.0.0:4000", "holdfast.lan", {}, "http://holdfast.lan"],
	["http://0.0.0.0:4001", "holdfast.lan:8080", { beside: true }, "http://holdfast.lan:4001"],
	["http://[::]:4000", "[2001:db8::1]:4000", {}, "http://[2001:db8::1]:4000"],
	["http://0.0.0.0:4000", null, {}, "http://127.0.0.1:4000"],
	["http://[::]:4000", null, {}, "http://[::1]:4000"],
	["http://0.0.0.0:4000", "", {}, "http://127.0.0.1:4000"],
	["http://0.0.0.0:4000", 'x"><script>', {}, "http://127.0.0.1:4000"],
	["http://0.0.0.0:4000", "a@evil.example.com", {}, "http://127.0.0.1:4000"],
	["http://0.0.0.0:4000", "lan:99999", {}, "http://127.0.0.1:4000"],
	["", "holdfast.lan", {}, ""],
])("%s, asked for at %j %j, is shown as %s", (url, cameTo, options, shown) => {
	expect(reachedAt(url, cameTo, options)).toBe(shown);
});

it("an address of every interface names no machine", () => {
	expect(["http://0.0.0.0:4000", "http://[::]:4000"].map(isEverywhere)).toEqual([true, true]);
	expect(["http://127.0.0.1:4000", "http://localhost:4000", ""].map(isEverywhere)).toEqual([false, false, false]);
});

describe("A service that listens on every address and has no public one", () => {
	let house: House;
	beforeAll(async () => {
		house = await openHouse({ env: { HOLDFAST_HOST: "0.0.0.0" } });
	});
	afterAll(() => house.close());

	it("shows in its guides, on both ports, the address that the reader came to", async () => {
		const [api, coa] = [new URL(house.api).port, new URL(house.coa).port];
		for (const port of [api, coa]) {
			const guide = await fetch(`http://localhost:${port}/docs/guides/quickstart.md`);
			const text = await guide.text();
			expect(text).toContain(`BASE=http://localhost:${api}\n`);
			expect(text).toContain(`coaUrl: "http://localhost:${coa}"`);
			expect(text).not.toContain("0.0.0.0");
			const again = { headers: { "if-none-match": guide.headers.get("etag") ?? "" } };
			expect((await fetch(guide.url, again)).status).toBe(304);
		}
	});

	it("makes set-up links for the address that the inviter came to, and errors with links of their own", async () => {
		const socket: As = { socket: house.socket };
		const { port } = new URL(house.api);
		const onThisMachine = await operate(socket, InvitePerson, { body: { name: "ada", role: "viewer" } });
		expect(onThisMachine.json.data.link).toMatch(`http://127.0.0.1:${port}/admin/set-up#`);
		const { json } = await operate(socket, MintToken, { body: { name: "script", role: "admin" } });
		keepSecretsOf(JSON.stringify(json));
		const headers = { host: "holdfast.lan" };
		const { token } = json.data;
		const elsewhere = await operate({ api: house.api, token }, InvitePerson, {
			body: { name: "bob", role: "viewer" },
			headers,
		});
		expect(elsewhere.json.data.link).toMatch("http://holdfast.lan/admin/set-up#");
		const refused = await fetch(`${house.api}/api/v1/products`);
		expect(refused.headers.get("link")).toBe('</docs/errors/unauthorized>; rel="help"');
	});
});
