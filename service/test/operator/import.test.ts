import { userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { RenamePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { MintToken } from "../../src/partners/operators/contract.ts";
import { GetRun } from "../../src/partners/runs/admin-contract.ts";
import { MOST_INPUTS } from "../../src/partners/runs/limits.ts";
import { ImportWorld } from "../../src/upkeep/import/admin-contract.ts";
import { CSV_KINDS } from "../../src/upkeep/import/csv.ts";
import { ExportKeys, ExportSection } from "../../src/upkeep/import/export-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, type Asked, operate } from "../operate.ts";

let house: House;
beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

async function importAs(as: As, asked: Asked) {
	const answer = await operate(as, ImportWorld, asked);
	keepSecretsOf(JSON.stringify(answer.json));
	return answer;
}
async function countOf(what: string): Promise<number> {
	const { rows } = await house.db.query<{ n: number }>(`select count(*)::int as n from ${what}`);
	return must(rows[0], what).n;
}
/** The data that a refused import or a dry run must not change. */
const traces = async () => [await countOf("audit_log"), await countOf("operator_run"), await countOf("formula")];

const key = (name: string, environment: "live" | "sandbox") => ({
	name,
	partner: "Acme Web Shop",
	environment,
	...(environment === "live" ? { brand_code: "ACME" } : {}),
	preset: "read_only",
	shared_pool: false,
});
const world = (name: string) => ({
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [{ code: `${name}-60`, name, status: "active" }],
	skus: [{ sku: name, name, kind: "single", components: [{ formula: `${name}-60`, per_kit: 1 }] }],
	lots: [{ formula: `${name}-60`, brand_code: "ACME", batch_number: `${name}-1`, units: 20 }],
	partners: [{ name: "Acme Web Shop" }],
});
const json = (name: string, content: unknown) => ({ name, bytes: JSON.stringify(content) });
const csv = (name: string, ...lines: string[]) => ({ name, bytes: `${lines.join("\r\n")}\r\n` });

describe("An import by the operator's API", () => {
	it("makes everything, answers the document of the command, and a second time changes nothing", async () => {
		const before = await countOf("audit_log");
		const body = { ...world("CALM"), keys: [key("web", "live")] };
		const first = await importAs(house, { body });
		expect([first.status, first.json.data]).toEqual([
			200,
			expect.objectContaining({
				dry_run: false,
				created: { brands: 1, formulas: 1, products: 0, skus: 1, lots: 1, demand: 0, buffers: 0, partners: 1, keys: 1 },
				formulas: [{ code: "CALM-60", formula_id: expect.any(String) }],
				lots: [expect.objectContaining({ batch_number: "CALM-1", fg_id: expect.any(String), quarantined: false })],
				keys: [expect.objectContaining({ name: "web", token: expect.stringMatching(/^pk_hf_live_/) })],
			}),
		]);
		expect(await countOf("audit_log where operation = 'import_world' and status < 300")).toBeGreaterThan(0);
		expect(await countOf("audit_log")).toBe(before + 1);
		const second = await importAs(house, { body });
		expect(second.json.data).toMatchObject({
			created: { brands: 0, formulas: 0, skus: 0, lots: 0, keys: 0 },
			unchanged: { brands: 1, formulas: 1, skus: 1, lots: 1, partners: 1, keys: 1 },
			changes: [],
			keys: [{ token: null }],
		});
	});

	it("takes JSON and CSV files together, in whatever order they come", async () => {
		const { formulas, skus: _, ...rest } = world("REST");
		const files = [
			csv("skus.csv", "sku,name,kind,components", "REST,Rest,single,REST-60*2"),
			json("world.json", { ...rest, formulas }),
		];
		const { status, json: answer } = await importAs(house, { body: {}, files });
		expect([status, answer.data.created]).toEqual([200, expect.objectContaining({ formulas: 1, skus: 1, lots: 1 })]);
		const { rows } = await house.db.query("select per_kit from sku_component where sku = 'REST'");
		expect(rows).toEqual([{ per_kit: 2 }]);
	});

	it("as a dry run answers what it would do, and does nothing", async () => {
		const before = await traces();
		const body = { ...world("DREAM"), keys: [key("dream", "sandbox")], dry_run: true };
		const { status, json: answer } = await importAs(house, { body, headers: { "idempotency-key": "dry" } });
		expect([status, answer.data]).toEqual([
			200,
			expect.objectContaining({
				dry_run: true,
				created: expect.objectContaining({ formulas: 1, lots: 1, keys: 1 }),
				formulas: [{ code: "DREAM-60", formula_id: null }],
			}),
		]);
		expect(await traces()).toEqual(before);
	});

	it("names all that is wrong with bodies and files at once, and changes nothing", async () => {
		const before = await traces();
		const body = { formulas: [{ code: "BAD-60", name: "Bad", status: "on" }], lot: [] };
		const refused = await importAs(house, { body: { formulas: body.formulas, lots: [{ units: 1 }] } });
		expect([refused.status, refused.json.error.code]).toEqual([400, "invalid_input"]);
		expect(refused.json.error.problems.map(({ at }: { at: string }) => at)).toEqual([
			"body /formulas/0/status",
			"body /lots/0/formula",
			"body /lots/0/brand_code",
			"body /lots/0/batch_number",
		]);
		const files = [
			csv("lots.csv", "formula,brand_code,batch_number,units", "CALM-6O,ACME,B,1", "CALM-60,,B,none"),
			csv("stock.csv", "formula", "CALM-60"),
			{ name: "demand.csv", bytes: new Uint8Array([0xff, 0xfe]) },
		];
		const { json: answer } = await importAs(house, { body: {}, files });
		expect(answer.error.problems).toEqual(
			expect.arrayContaining([
				{ at: "lots.csv line 3, units", message: expect.stringContaining("a whole number of units") },
				{ at: "stock.csv", message: expect.stringContaining("is not a known name") },
				{ at: "demand.csv", message: expect.stringContaining("is not UTF-8") },
			]),
		);
		const meant = await importAs(house, { body: {}, files: files.slice(0, 1) });
		expect(meant.json.error.message).toMatch(/line 2, formula: there is no formula "CALM-6O": did you mean "CALM-60"/);
		expect((await importAs(house, { body })).json.error.message).toContain("/lot");
		expect(await traces()).toEqual(before);
	});

	it("requires the role admin where it mints a live key, and for nothing more where the key is there", async () => {
		const made = await operate(house, MintToken, { body: { name: "importer", role: "operator" } });
		keepSecretsOf(JSON.stringify(made.json));
		const operator = { api: house.api, token: made.json.data.token };
		const refused = await importAs(operator, { body: { keys: [key("other", "live")] } });
		expect([refused.status, refused.json.error.message]).toEqual([
			403,
			"Minting a live key requires the role admin: Acme Web Shop / other.",
		]);
		expect((await importAs(operator, { body: { keys: [key("web", "live")] } })).status).toBe(200);
		const { json: answer } = await importAs(operator, { body: { keys: [key("test", "sandbox")] } });
		expect(answer.data.keys[0].token).toMatch(/^pk_hf_sandbox_/);
	});

	it("stands in the ledger under the name of who imported, with its request", async () => {
		const made = await operate(house, MintToken, { body: { name: "stocktaker", role: "operator" } });
		keepSecretsOf(JSON.stringify(made.json));
		const script = { api: house.api, token: made.json.data.token };
		const { headers } = await importAs(house, { body: world("LEDGER") });
		const [lot] = world("LEDGER").lots;
		const more = await importAs(script, { body: { lots: [{ ...lot, units: 25 }] } });
		const { rows } = await house.db.query(
			`select m.actor, m.cause, m.units, m.request_id as "requestId" from unit_move m join lot using (fg_id)
			  where batch_number = 'LEDGER-1' order by seq`,
		);
		const login = `operator:${userInfo().username}`;
		expect(rows).toEqual([
			{ actor: login, cause: "import", units: 20, requestId: headers["x-request-id"] },
			{ actor: "operator:token/stocktaker", cause: "import", units: 5, requestId: more.headers["x-request-id"] },
		]);
	});
});

describe("An import that takes long", () => {
	it("is answered 202, shows no token in its run, and its repeat is answered with the tokens", async () => {
		const stranger = await house.db.take();
		const headers = { "idempotency-key": "long" };
		const body = { ...world("LONG"), keys: [key("long", "sandbox")] };
		await stranger.query("begin");
		await stranger.query("select 1 from catalog_epoch for update");
		const started = await importAs(house, { body, headers });
		expect([started.status, Object.keys(started.json.data)]).toEqual([202, ["run_id"]]);
		await stranger.query("commit");
		stranger.release();
		const params = { run_id: started.json.data.run_id };
		const run = async () => (await operate(house, GetRun, { params })).json.data;
		await expect.poll(async () => (await run()).status).toBe("done");
		expect((await run()).result.keys).toEqual([expect.objectContaining({ name: "long", token: null })]);
		const repeat = await importAs(house, { body, headers });
		expect([repeat.status, repeat.headers["idempotent-replayed"]]).toEqual([200, "true"]);
		const [{ token }] = repeat.json.data.keys;
		expect((await house.call(token, "/api/v1/products")).status).toBe(200);
		const { rows } = await house.db.query("select (r.*)::text as text from operator_run r where run_id = $1", [
			params.run_id,
		]);
		expect(JSON.stringify(rows)).not.toContain(token.split(":")[1]);
	});

	it("waits for another one that changes the catalogue, and is refused while as many wait as are kept in memory", async () => {
		const stranger = await house.db.take();
		await stranger.query("begin");
		await stranger.query("select from catalog_epoch for update");
		const waiting = [];
		for (let n = 0; n < MOST_INPUTS; n++) {
			const answer = await importAs(house, { body: world(`WAITS-${n}`) });
			waiting.push(answer);
		}
		expect(waiting.map(({ status }) => status)).toEqual(waiting.map(() => 202));
		const late = await importAs(house, { body: world("LATE") });
		expect([late.status, late.json.error?.code]).toEqual([429, "rate_limited"]);
		await stranger.query("rollback");
		stranger.release();
		for (const { json: answer } of waiting) {
			const params = { run_id: answer.data.run_id as string };
			await expect.poll(async () => (await operate(house, GetRun, { params })).json.data.status).toBe("done");
		}
	});

	it("mints no live key for an operator, if the key of this name was renamed away since the request was judged", async () => {
		const made = await operate(house, MintToken, { body: { name: "patient", role: "operator" } });
		keepSecretsOf(JSON.stringify(made.json));
		const operator = { api: house.api, token: made.json.data.token };
		const wanted = { ...key("x", "sandbox"), partner: "Tmp" };
		const first = await importAs(operator, { body: { partners: [{ name: "Tmp" }], keys: [wanted] } });
		expect(first.status).toBe(200);
		const stranger = await house.db.take();
		await stranger.query("begin");
		await stranger.query("select from catalog_epoch for update");
		const body = { partners: [{ name: "Tmp" }], keys: [{ ...wanted, environment: "live", brand_code: "ACME" }] };
		const { status, json: begun } = await importAs(operator, { body });
		expect(status).toBe(202);
		const params = { partner_id: "Tmp" };
		expect((await operate(operator, RenamePartner, { params, body: { name: "Other" } })).status).toBe(200);
		await stranger.query("rollback");
		stranger.release();
		const run = async () => (await operate(house, GetRun, { params: { run_id: begun.data.run_id } })).json.data;
		await expect.poll(async () => (await run()).status).toBe("failed");
		expect((await run()).error).toEqual({
			code: "forbidden",
			message: "Minting a live key requires the role admin: Tmp / x.",
		});
		expect(await countOf("api_key where name = 'x' and environment = 'live'")).toBe(0);
		expect(await countOf("partner where name = 'Tmp'")).toBe(0);
	});

	it("has failed when its node is gone, and nothing was changed", async () => {
		const runId = newId();
		await house.db.query(
			`insert into operator_run (run_id, operation, about, actor, request_id, status, state, done, total, held_until)
			 values ($1, 'import_world', 'world.json', 'operator:gone', $2, 'running', $3, 0, 7, now() - interval '1 minute')`,
			[runId, newId(), JSON.stringify({ newBatch: false, rows: 7, tokens: null })],
		);
		const run = async () => (await operate(house, GetRun, { params: { run_id: runId } })).json.data;
		await expect.poll(async () => (await run()).status).toBe("failed");
		expect((await run()).error.message).toMatch(
			/The node that carried out the import is gone, and nothing was changed/,
		);
	});
});

describe("What was exported", () => {
	it("is imported again without a change, keys without tokens included", async () => {
		const kit = { sku: "DUO", name: 'Duo, "two"', kind: "kit", product: "duo" };
		const body = {
			...world("ROSE"),
			formulas: [
				{ code: "ROSE-60", name: "ROSE", status: "active" },
				{ code: "MINT-60", name: "=mint", status: "draft" },
			],
			products: [{ slug: "duo", name: "Duo; for two" }],
			skus: [
				{ sku: "ROSE", name: "ROSE", kind: "single", components: [{ formula: "ROSE-60", per_kit: 1 }] },
				{
					...kit,
					components: [
						{ formula: "ROSE-60", per_kit: 2 },
						{ formula: "MINT-60", per_kit: 1 },
					],
				},
			],
			lots: [
				{ formula: "ROSE-60", brand_code: "ACME", batch_number: "ROSE-1", expires_on: "2030-11-30", units: 20 },
				{ formula: "ROSE-60", brand_code: null, batch_number: "ROSE-2", units: 7 },
			],
			demand: [{ formula: "ROSE-60", brand_code: "ACME", units: 3, reference: "PO-1, late" }],
			buffers: [{ formula: "ROSE-60", brand_code: null, units: 2 }],
			keys: [key("exported", "live")],
		};
		expect((await importAs(house, { body })).status).toBe(200);
		const files = [];
		for (const section of CSV_KINDS) {
			const answer = await operate(house, ExportSection, { params: { section } });
			expect([answer.status, answer.headers["content-disposition"]]).toEqual([
				200,
				`attachment; filename="${section}.csv"`,
			]);
			files.push({ name: `${section}.csv`, bytes: Uint8Array.from(answer.bytes) });
		}
		const keys = await operate(house, ExportKeys, {});
		expect(JSON.stringify(keys.json)).not.toContain("sk_hf");
		const again = await importAs(house, { body: {}, files: [...files, json("world.json", keys.json.data)] });
		expect(again.json.data).toMatchObject({ changes: [] });
		const { created, changed, unchanged } = again.json.data;
		expect([sum(created), sum(changed)]).toEqual([0, 0]);
		for (const kind of [...CSV_KINDS, "keys"]) expect([kind, unchanged[kind] > 0]).toEqual([kind, true]);
	});
});

const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);
