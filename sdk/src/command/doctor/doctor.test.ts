import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { suspendKey } from "../../../../service/src/partners/keys/suspend-key.ts";
import { openSandboxWorld } from "../../../../service/test/contract/sandbox-world.ts";
import type { World } from "../../../../service/test/contract/world.ts";
import { keepSecretsOf } from "../../../../service/test/leaks/secrets.ts";
import { until } from "../../../../service/test/processes/child.ts";
import { Holdfast } from "../../client/holdfast.ts";
import { partner } from "../run-for-tests.ts";

let world: World;
let baseUrl: string;

beforeAll(async () => {
	world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
	baseUrl = `http://127.0.0.1:${world.port}`;
});
afterAll(() => world.stop());

const examine = (settings: Record<string, string>) =>
	partner(["doctor", "--json"], { env: { HOLDFAST_URL: baseUrl, ...settings } });
const verdicts = (json: { findings: { check: string; verdict: string }[] }) =>
	json.findings.map(({ check, verdict }) => `${check} ${verdict}`);

describe("doctor", () => {
	it("finds a good set-up good, and says what is missing", async () => {
		const { token, pk } = await world.key({ brand: "SANDBOX" });
		const { code, out } = await partner(["doctor"], { env: { HOLDFAST_URL: baseUrl, HOLDFAST_TOKEN: token } });
		expect(code).toBe(0);
		expect(out).toContain(`ok    address      ${baseUrl} answers.`);
		expect(out).toContain(`ok    key          ${pk} is accepted, a sandbox key.`);
		expect(out).toContain("ok    scopes       The key has every scope.");
		expect(out).toMatch(/^warn {2}certificates The address of the certificates is not set\.\n +Set HOLDFAST_COA_URL/m);
		expect(out).toMatch(/^warn {2}webhooks {5}No endpoint is registered/m);
		expect(out).toContain("0 failures, 2 warnings.");
	});

	it("leaves nothing behind: every request that it made was a read, or was refused", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		await examine({ HOLDFAST_TOKEN: token });
		const { rows } = await world.db.query("select (select count(*) from hold) + (select count(*) from orders) as made");
		expect(rows).toEqual([{ made: 0 }]);
	});

	it("says what a key may not do, also without the scope to ask", async () => {
		const { token } = await world.key({ brand: "SANDBOX", scopes: ["atp.products", "atp.inventory", "atp.check"] });
		const { code, json } = await examine({ HOLDFAST_TOKEN: token });
		expect(code).toBe(0);
		expect(json.findings.find(({ check }: { check: string }) => check === "scopes")).toMatchObject({
			verdict: "ok",
			says: expect.stringMatching(
				/^The key has atp\.products, atp\.inventory, atp\.check; it lacks atp\.reserve, .*atp\.introspect\.$/,
			),
		});
		const { token: poor } = await world.key({ brand: "SANDBOX", scopes: ["atp.orders"] });
		const without = await examine({ HOLDFAST_TOKEN: poor });
		expect(without.code).toBe(1);
		expect(verdicts(without.json)).toEqual(["address ok", "clock ok", "versions ok", "key ok", "scopes fail"]);
	});

	it("tells a typing error from a key that is refused", async () => {
		const { token, pk } = await world.key({ brand: "SANDBOX" });
		const typo = token.replace(/.(?=.{9}$)/, (one) => (one === "x" ? "y" : "x"));
		const mistyped = await examine({ HOLDFAST_TOKEN: typo });
		expect(mistyped.code).toBe(3);
		expect(mistyped.json.findings.at(-1)).toMatchObject({
			check: "key",
			verdict: "fail",
			says: expect.stringContaining("The secret half"),
		});
		await suspendKey(world.db, pk);
		const holdfast = new Holdfast({ baseUrl, token });
		await until("the suspension", () =>
			holdfast.check([]).then(
				() => false,
				({ status }) => status === 401,
			),
		);
		const refused = await examine({ HOLDFAST_TOKEN: token });
		expect(refused.code).toBe(3);
		expect(refused.json.findings.at(-1)).toMatchObject({
			check: "key",
			verdict: "fail",
			says: expect.stringMatching(/is refused(?!.*Run "holdfast-partner doctor")/),
		});
	});

	it("finds an address where another service answers, or none is set", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const other = createServer((_request, response) => response.end("<html>"));
		await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
		const wrong = await examine({ HOLDFAST_URL: url, HOLDFAST_TOKEN: token });
		other.close();
		expect(wrong).toMatchObject({
			code: 3,
			json: { findings: [{ check: "address", verdict: "fail", says: expect.stringContaining("it is not Holdfast") }] },
		});
		expect(await partner(["doctor"])).toMatchObject({
			code: 3,
			out: expect.stringContaining("The address is not set."),
		});
	});

	it("tries each endpoint: what takes a bad signature fails, and so does one that is inactive", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const holdfast = new Holdfast({ baseUrl, token });
		let status = 401;
		const receiver = createServer((request, response) => {
			request.resume().on("end", () => response.writeHead(status).end());
		});
		await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
		const endpoint = await holdfast.webhookEndpoints.create({ url });
		keepSecretsOf(endpoint.secret);
		const last = async () => {
			const { code, json } = await examine({ HOLDFAST_TOKEN: token });
			return [code, json.findings.at(-1).verdict, json.findings.at(-1).says];
		};
		expect(await last()).toEqual([0, "ok", `${url} is active, and refuses an event with a bad signature.`]);
		status = 200;
		expect(await last()).toEqual([1, "fail", expect.stringContaining("anybody could forge events")]);
		await holdfast.webhookEndpoints.update(endpoint.endpointId, { status: "inactive" });
		expect(await last()).toEqual([1, "fail", expect.stringContaining("is inactive (partner)")]);
		receiver.close();
		receiver.closeAllConnections();
	});
});
