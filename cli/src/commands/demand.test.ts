import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noteCancelled, noteOpenOrder, noteShipped } from "../../../service/src/inventory/demand/note-report.ts";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { executeIn } from "../../../service/test/execute-in.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [{ code: "F", name: "F", status: "active" }],
	skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
	lots: [{ formula: "F", brand_code: "ACME", batch_number: "B1", units: 20 }],
};
const settings = { drawIn: executeIn };

describe("holdfast demand", () => {
	let house: House;
	let folder: string;
	let env: Record<string, string>;
	const run = (...args: string[]) => holdfast(["demand", ...args], env);

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "holdfast-demand-"));
		const entry = newKeyRingEntry();
		house = await openHouse({ env: { HOLDFAST_SECRET_KEYS: entry } });
		env = {
			HOLDFAST_DATABASE_URL: house.url,
			HOLDFAST_SECRET_KEYS: entry,
			HOLDFAST_DATA_DIR: join(folder, "data"),
			HOLDFAST_ADMIN_SOCKET: house.socket,
		};
		const world = join(folder, "world.json");
		await writeFile(world, JSON.stringify(WORLD));
		expect(await holdfast(["import", world], env)).toMatchObject({ code: 0 });
	});
	afterAll(async () => {
		await house.close();
		await rm(folder, { recursive: true });
	});

	it("lists, ships and clears what was entered", async () => {
		for (const [reference, units] of Object.entries({ "PO-1": "12", "PO-2": "3" })) {
			const added = await run("add", "--formula", "F", "--brand", "ACME", "--units", units, "--reference", reference);
			expect(added).toMatchObject({ code: 0, err: "" });
		}
		expect((await run("list", "--json")).json).toMatchObject({
			items: [
				{ source: null, reference: "PO-1", formula: "F", brand_code: "ACME", units: 12, since: expect.any(String) },
				{ reference: "PO-2" },
			],
			next_cursor: null,
		});
		expect((await run("list", "--limit", "1")).out).toMatch(
			/^SOURCE +REFERENCE[^]*operator +PO-1 +F +ACME +12 [^]*and more/,
		);
		expect((await run("list", "--formula", "NOPE")).out).toBe("No demand.\n");
		expect(await run("list", "--brand", "NOPE")).toMatchObject({
			code: 1,
			err: expect.stringContaining('There is no brand "NOPE"'),
		});
		expect((await run("ship", "--reference", "PO-1", "--json")).json).toMatchObject({
			reference: "PO-1",
			drawn_units: 12,
			missing_units: 0,
			drawn: [
				{
					units: 12,
					fg_id: expect.any(String),
				},
			],
		});
		expect(await run("ship", "--reference", "PO-1")).toMatchObject({
			code: 1,
			err: expect.stringContaining('There is no demand under "PO-1". `npm run -s holdfast -- demand list`'),
		});
		expect((await run("clear", "--reference", "PO-2", "--json")).json).toEqual({ cleared: 1 });
	}, 180_000);

	it("imports a file of demand, or names every problem of it", async () => {
		const write = async (name: string, ...rows: string[]): Promise<string> => {
			await writeFile(join(folder, name), ["formula,brand_code,units,reference", ...rows].join("\n"));
			return join(folder, name);
		};
		const good = await write("open orders.csv", "F,ACME,2,PO-7", "F,,1,PO-7");
		expect((await run("import", good, "--json")).json).toEqual({ created: 2, changed: 0, unchanged: 0 });
		expect((await run("import", good)).out).toBe("0 new, 0 changed, 2 unchanged.\n");
		const bad = await write("bad.csv", "G,ACME,2,PO-8", "F,,none,PO-8");
		const refused = await run("import", bad, "--json");
		expect(refused.code).toBe(1);
		expect(refused.json.error.problems.map(({ at }: { at: string }) => at).toSorted()).toEqual([
			"bad.csv line 2, formula",
			"bad.csv line 3, units",
		]);
		const none = await run("import", join(folder, "none.csv"), "--json");
		expect([none.code, none.json.error.problems]).toEqual([
			1,
			[{ at: join(folder, "none.csv"), message: "cannot be found" }],
		]);
		expect((await run("clear", "--reference", "PO-7", "--json")).json).toEqual({ cleared: 2 });
	});

	it("prints nothing that commands a terminal, whatever a shop calls its things, as text or as JSON", async () => {
		const evil = "\u009b2J\u202eTEA\u001b]0;x\u0007";
		const order = { source: "label", reference: "evil", store: evil, modifiedAt: new Date(1_000) };
		await noteOpenOrder(house.db, settings, {
			...order,
			lines: [
				{ sku: evil, qty: 1 },
				{ sku: "ONE", qty: 1 },
			],
		});
		for (const command of [["exceptions"], ["exceptions", "--json"], ["store", "list"], ["store", "list", "--json"]]) {
			const { out } = await run(...command);
			expect(out).toContain("TEA");
			expect(out).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
		}
		const told = (await run("store", "list", "--json")).json;
		expect(told.unknown).toEqual([evil]);
		await noteCancelled(house.db, settings, { ...order, modifiedAt: new Date(2_000) });
	});

	it("shows what could not be settled, with what to do, and settles it", async () => {
		const order = { source: "label", reference: "1001", lines: [{ sku: "ONE", qty: 10 }] };
		await noteOpenOrder(house.db, settings, { ...order, store: "204817", modifiedAt: new Date(1_000) });
		await noteShipped(house.db, settings, { ...order, store: null, shippedAt: new Date(2_000) });
		const [exception] = (await run("exceptions", "--json")).json.items;
		expect(exception).toMatchObject({
			reference: "label:1001",
			kind: "unknown_store",
			subject: "204817",
			shipped_kits: 10,
			promised_kits: 0,
			what: 'Nobody has set whose stock store "204817" sells: 10 shipped and not drawn down.',
			todo: expect.stringMatching(/./),
		});
		expect((await run("exceptions")).out).toContain("demand store set <store> --brand <code>");
		expect((await run("store", "list")).out).toMatch(/^No stores\.\n\nOrders wait for 204817: /);
		const set = await run("store", "set", "204817", "--brand", "ACME", "--shared", "--json");
		expect(set.json).toEqual({ store: "204817", brand_code: "ACME", shared: true, orders: 1 });
		expect((await run("store", "list", "--json")).json).toEqual({
			items: [
				{
					store: "204817",
					brand_code: "ACME",
					shared: true,
				},
			],
			next_cursor: null,
			unknown: [],
		});
		const short = await run("exceptions");
		expect(short.out).toMatch(
			/^\d+ {2}label:1001, since \S+\n {4}2 units of F shipped from ACME, then the shared stock could not be found: [^]* {4}[^\n]*demand exceptions retry/,
		);
		expect((await run("exceptions", "retry", "--json")).json).toEqual({
			references: 1,
			drawn_units: 0,
			missing_units: 2,
		});
		const id = String((await run("exceptions", "--json")).json.items[0].exception_id);
		expect((await run("exceptions", "resolve", id, "--note", "counted by hand", "--json")).json).toEqual({
			exception_id: Number(id),
			reference: "label:1001",
			note: "counted by hand",
		});
		expect((await run("exceptions")).out).toBe("No open exceptions.\n");
		// as it is, with the first note
		expect((await run("exceptions", "resolve", id, "--note", "again", "--json")).json).toMatchObject({
			note: "counted by hand",
		});
		expect(await run("exceptions", "retry", "999999")).toMatchObject({
			code: 1,
			err: expect.stringContaining("There is no exception"),
		});
		expect(await run("exceptions", "retry", "seven")).toMatchObject({ code: 2 });
		expect((await run("store", "remove", "204817", "--json")).json).toEqual({ removed: true, orders: 0 });
		expect(await run("store", "set", "1", "--brand", "NOPE")).toMatchObject({
			code: 1,
			err: expect.stringContaining('no brand "NOPE"'),
		});
		expect(await holdfast(["verify"], env)).toMatchObject({ code: 0 });
	}, 180_000);
});
