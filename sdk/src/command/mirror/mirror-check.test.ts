import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RestockOperatorSandbox } from "../../../../service/src/upkeep/sandbox/admin-contract.ts";
import { openSandboxWorld } from "../../../../service/test/contract/sandbox-world.ts";
import type { World } from "../../../../service/test/contract/world.ts";
import { operate } from "../../../../service/test/operate.ts";
import { Holdfast } from "../../client/holdfast.ts";
import { partner } from "../run-for-tests.ts";

let world: World;
let site: Server;
let folder: string;
let env: Record<string, string>;
/** What the site answers. */
let answer: { status: number; text: string };
/** The address of the certificate of SBX-LOW. */
let certificate: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-mirror-"));
	world = await openSandboxWorld();
	await operate({ socket: world.deps.config.adminSocket }, RestockOperatorSandbox, {});
	const { token } = await world.key({ brand: "SANDBOX" });
	const baseUrl = `http://127.0.0.1:${world.port}`;
	const holdfast = new Holdfast({ baseUrl, token });
	const [low] = (await holdfast.raw.products.list({ sku: "SBX-LOW" })).data.items;
	const coaUrl = new URL(low?.currentCoa?.verifyUrl ?? "").origin;
	env = { HOLDFAST_URL: baseUrl, HOLDFAST_COA_URL: coaUrl, HOLDFAST_TOKEN: token };
	const [first] = (await new Holdfast({ baseUrl, coaUrl, token }).raw.coa.list({ product: ["sbx-low"] })).data.items;
	certificate = first?.certificateUrl ?? "";
	site = createServer((_request, response) => response.writeHead(answer.status, { location: "/" }).end(answer.text));
	await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
	await world.stop();
	site.close();
	await rm(folder, { recursive: true });
});

async function check(text: string, ...more: string[]) {
	await writeFile(join(folder, "shown"), text);
	return await partner(["mirror", "check", "shown", ...more], { env, cwd: folder });
}
const statusUrl = (): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}/status.json`;
async function checkSite(items: readonly object[] | string, status = 200) {
	answer = { status, text: typeof items === "string" ? items : JSON.stringify({ items }) };
	return await partner(["mirror", "check", statusUrl(), "--json"], { env });
}

describe("mirror check", () => {
	it("of a table with the service's counts exits 0", async () => {
		const equal = await check("sku,shown_qty\nSBX-LOW,3\nSBX-OUT,0\nSBX-FEE,\nNO-SUCH,\n");
		expect(equal).toMatchObject({ code: 0, err: "" });
		expect(equal.out).toMatch(/shown: 4 SKUs compared with the service at .*: all is equal\./);
	});

	it("exits 1 with a table of what differs, and takes neither an empty cell nor an unknown SKU for 0", async () => {
		const { code, out } = await check("sku,qty\nSBX-LOW,4\nSBX-OUT,\nNO-SUCH,0\nSBX-PLENTY,100000\n");
		expect(code).toBe(1);
		expect(out).toMatch(/3 differences/);
		expect(out).toMatch(/^SBX-LOW +count +4 +3 +Show the service's number\./m);
		expect(out).toMatch(/^SBX-OUT +count +no number +0 /m);
		expect(out).toMatch(/^NO-SUCH +count +0 +unknown SKU +.*not even 0/m);
	});

	it("has the same in JSON, with counts that say whether they are known", async () => {
		const { code, json } = await check("sku,qty\nSBX-LOW,4\nNO-SUCH,0", "--json");
		expect(code).toBe(1);
		expect(json).toMatchObject({
			source: "shown",
			skus: 2,
			certificates: "not_given",
			differences: [
				{ about: "count", sku: "SBX-LOW", shown_qty: 4, hidden: false, count: { kind: "known", qty: 3 } },
				{ about: "count", sku: "NO-SUCH", shown_qty: 0, count: { kind: "unknown", why: "unknown_sku" } },
			],
		});
	});

	it("compares more SKUs than one check takes, each with its own count", async () => {
		const rows = Array.from({ length: 250 }, (_, at) => `NO-${at},`);
		rows[120] = "SBX-LOW,3";
		rows[249] = "SBX-LOW,2";
		const { json } = await check(`sku,qty\n${rows.join("\n")}`, "--json");
		expect(json).toMatchObject({ skus: 250, differences: [{ sku: "SBX-LOW", shown_qty: 2 }] });
	});

	it("reads a status address, with its certificates", async () => {
		const low = { sku: "SBX-LOW", shown_qty: 3, hidden: false, coa_url: certificate };
		expect(await checkSite([low])).toMatchObject({ code: 0, json: { certificates: "compared", differences: [] } });
		const wrong = [
			{ ...low, coa_url: "https://coa.example.com/old.pdf" },
			{ sku: "SBX-OUT", hidden: true, coa_url: null },
			{ ...low, coa_url: null },
		];
		expect(await checkSite(wrong)).toMatchObject({
			code: 1,
			json: {
				differences: [
					{ about: "certificate", sku: "SBX-LOW", coa_url: "https://coa.example.com/old.pdf", current: [certificate] },
					{ about: "certificate", sku: "SBX-LOW", coa_url: null },
				],
			},
		});
		const { HOLDFAST_COA_URL: _none, ...without } = env;
		answer = { status: 200, text: JSON.stringify({ items: wrong }) };
		const { code, out } = await partner(["mirror", "check", statusUrl()], { env: without });
		expect(code).toBe(0);
		expect(out).toContain("Certificates were not compared");
	});

	it.each([
		["no JSON", "<html>", 200, "cannot be compared"],
		["an error", "{}", 500, "answered 500"],
		["a redirect", "{}", 302, "answered 302"],
		["too much", `{"items":[${" ".repeat(70_000)}]}`, 200, "a go-live run reads at most 65536"],
		[
			"too many",
			JSON.stringify({ items: Array.from({ length: 501 }, () => ({ sku: "A" })) }),
			200,
			"more than 500 SKUs",
		],
		["nothing", '{"items":[]}', 200, "It lists no SKU"],
	])("says why a status address that answers %s cannot be read", async (_name, text, status, words) => {
		expect(await checkSite(text, status)).toMatchObject({
			code: 1,
			json: { error: { code: "unreadable", message: expect.stringContaining(words) } },
		});
	});

	it("ends with 2 without a file, and with 3 with a key that is refused", async () => {
		expect(await partner(["mirror", "check", "nowhere.csv"], { env, cwd: folder })).toMatchObject({ code: 2, out: "" });
		const { token } = await world.key({ brand: "SANDBOX", scopes: ["atp.products"] });
		const forbidden = await partner(["mirror", "check", "shown"], {
			env: { ...env, HOLDFAST_TOKEN: token },
			cwd: folder,
		});
		expect(forbidden).toMatchObject({ code: 3, out: "", err: expect.stringContaining("may not do this") });
	});
});
