import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../../service/src/ground/lib/assert.ts";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

const BATCH = "C-2611";
const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: ["F", "G"].map((code) => ({ code, name: code, status: "active" })),
	skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
	lots: [
		{ formula: "F", brand_code: "ACME", batch_number: BATCH, units: 10 },
		{ formula: "F", brand_code: null, batch_number: BATCH, units: 4 },
		{ formula: "G", brand_code: "ACME", batch_number: BATCH, units: 3 },
	],
	partners: [{ name: "Shop" }],
	keys: [
		{ name: "web", partner: "Shop", environment: "live", brand_code: "ACME", preset: "self_ship", shared_pool: false },
	],
};

describe("holdfast stock recall and ship report", () => {
	let house: House;
	let token: string;
	let order: { readonly order_id: string };
	let hold: string;

	const run = (...args: string[]) =>
		holdfast(args, {
			HOLDFAST_DATABASE_URL: house.url,
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
			HOLDFAST_COA_PORT: "0",
			HOLDFAST_ADMIN_SOCKET: house.socket,
		});
	const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).out);
	const recall = ["stock", "recall", "--batch", BATCH, "--reason", "lab report 77"];
	const post = async (path: string, body: object) => {
		const answer = await house.call(token, `/api/v1/${path}`, { body });
		expect(answer.status).toBeLessThan(300);
		return answer.json.data;
	};
	const reserve = async (qty: number): Promise<string> =>
		(await post("reserve", { items: [{ sku: "ONE", qty }] })).reservation_token;

	beforeAll(async () => {
		house = await openHouse();
		const { keys } = await house.importWorld(WORLD);
		token = must(keys[0]?.token, "a new key's token");
		const ship_to = { line1: "1 Main Street", city: "Berlin", postal_code: "10115", country: "DE" };
		const body = { reservation_token: await reserve(3), customer: { name: "Ada", ship_to } };
		order = await post("confirm", { ...body, external_order_id: "=1+1" });
		hold = await reserve(2);
		await post("consume", { reservation_token: await reserve(1), external_ref: "sale" });
	});
	afterAll(() => house.close());

	it("takes a lot or a batch number, not both, and one form of output", async () => {
		const wrong = [
			["stock", "recall", "--reason", "x"],
			[...recall, "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d"],
			["stock", "recall", "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d", "--formula", "F", "--reason", "x"],
			[...recall, "--json", "--csv"],
		];
		for (const args of wrong) expect(await run(...args)).toMatchObject({ code: 2 });
		const none = await run("stock", "recall", "--batch", "none", "--formula", "F", "--reason", "x");
		expect(none).toMatchObject({ code: 1, err: 'There is no lot with batch number "none" of formula "F".\n' });
	});

	it("shows with --dry-run what it will do, does it, and lists the same as a table, as JSON and as CSV", async () => {
		const held = { partner: "Shop", key_name: "web", order_id: order.order_id, external_order_id: "=1+1", units: 3 };
		const told = {
			reason: "lab report 77",
			moved: 13,
			replaced: 0,
			lost: 5,
			shipped_orders: [],
			consumed: [
				{
					partner: "Shop",
					external_ref: "sale",
					units: 1,
					shipped_units: 0,
					batch_numbers: [BATCH],
				},
			],
			impaired_holds: [
				{
					reservation_token: hold,
					units: 2,
				},
			],
			held_orders: [held],
		};
		const ofF = [...recall, "--formula", "F"];
		const before = await json("stock", "show");
		expect(await json(...ofF, "--dry-run")).toMatchObject({ dry_run: true, ...told });
		expect((await run(...ofF, "--dry-run")).out).toContain(
			"Nothing was changed. A recall of 2 lots would quarantine 13",
		);
		expect(await json("stock", "show")).toEqual(before);

		const done = await json(...ofF);
		expect(done).toMatchObject({ dry_run: false, ...told });
		expect(done.lots.map((lot: { quarantined: number }) => lot.quarantined)).toEqual([9, 4]);
		const again = await run(...ofF);
		expect(again).toMatchObject({ code: 0, err: "" });
		expect(again.out).toContain("2 lots recalled: 13 units quarantined"); // it is the same recall
		await house.db.query("update operator_run set ended_at = ended_at - interval '5 minutes'");
		await house.db.query("update lot set recalled_at = recalled_at - interval '10 minutes'");
		expect((await run(...ofF)).out).toMatch(
			/^This was recalled before, at [^:]+.*: ".+"\. Nothing was changed now\.\n/,
		);
		expect(again.out).toMatch(/Impaired holds:\n[^]*Orders on hold:\n[^]*=1\+1[^]*False alarm\?/);
		const csv = (await run(...ofF, "--csv")).out.split("\r\n");
		expect(csv[0]).toMatch(/^list,partner,key,key_name,order_id,/);
		expect(csv.slice(1, -1).map((line) => line.split(",")[0])).toEqual(["consumed", "impaired_hold", "held_order"]);
		expect(csv[3]).toContain(`,${order.order_id},`);
		expect(csv[3]).toContain(",'=1+1,");
		expect((await run("stock", "show")).out).toContain(`${BATCH} (recalled)`);
		expect((await json("stock", "show", "--formula", "G")).items[0]).toMatchObject({ available: 3, recalled_at: null });
	});

	it("shows in the list of orders what an order on hold lacks, and says when it is there to be released", async () => {
		const list = ["orders", "list", "--status", "held"];
		const [waiting] = (await json(...list)).items;
		expect(waiting).toMatchObject({ order_id: order.order_id, lacking_units: 3, could_be_released: false });
		expect((await run(...list)).out).toMatch(/LACKS[^]* held \(lot_recalled\) +3 units  +/);
		const lot = ["--formula", "F", "--brand", "ACME", "--batch", "good"];
		const { fg_id } = await json("stock", "receive", ...lot, "--units", "3");
		expect((await json(...list)).items).toMatchObject([{ lacking_units: 3, could_be_released: true }]);
		expect((await run(...list)).out).toMatch(
			/ 3 units, in stock +[^]*\nThe units that 1 order on hold lacks are in stock now: /,
		);
		await run("stock", "correct", fg_id, "--units", "-3", "--reason", "sold elsewhere");
	});

	it("is undone by a restore, which says how many units went back to holds and orders", async () => {
		const { items } = await json("stock", "show", "--formula", "F", "--brand", "ACME");
		const { fg_id } = items.find((lot: { batch_number: string }) => lot.batch_number === BATCH);
		const some = await run("stock", "restore", fg_id, "--units", "1", "--reason", "false alarm");
		expect(some).toMatchObject({ code: 1 });
		expect(some.err).toContain("only be restored as a whole");
		const all = ["stock", "restore", fg_id, "--all", "--reason", "false alarm"];
		const unconfirmed = await run(...all);
		expect(unconfirmed).toMatchObject({ code: 1, out: "" });
		expect(unconfirmed.err).toContain(`ends the recall of batch ${BATCH}`);
		expect(unconfirmed.err).toContain("--ends-recall confirms it");
		const [before] = (await json("stock", "show", "--formula", "F", "--brand", "ACME")).items;
		expect(before).toMatchObject({ available: 0, recalled_at: expect.any(String) });
		const restored = await run(...all, "--ends-recall");
		expect(restored.out).toContain("9 units restored.\nThe lot is not recalled any more: its units can be sold.\n");
		expect(restored.out).toContain("5 units of them went back to holds and orders");
		expect((await house.call(token, `/api/v1/orders/${order.order_id}`)).json.data.status).toBe("placed");
	});

	it("lists what was shipped of the batch without an order here", async () => {
		const demand = ["--formula", "F", "--brand", "ACME", "--units", "2", "--reference", "PO-9"];
		expect(await run("demand", "add", ...demand)).toMatchObject({ code: 0 });
		expect(await run("demand", "ship", "--reference", "PO-9")).toMatchObject({ code: 0, err: "" });
		const told = await json(...recall, "--formula", "F", "--dry-run");
		expect(told.shipped_elsewhere).toMatchObject([{ reference: "PO-9", units: 2, batch_numbers: [BATCH] }]);
		expect((await run(...recall, "--dry-run", "--csv")).out).toContain("shipped_elsewhere,,,,,,,PO-9,,2,");
	});

	it("reports what a partner consumed as shipped, once", async () => {
		const report = ["ship", "report", "--key", "web", "--external-ref"];
		expect(await json(...report, "sale")).toMatchObject({ external_ref: "sale", shipped_units: 1, idempotent: false });
		expect((await run(...report, "sale")).out).toBe("1 unit shipped under sale, as reported before.\n");
		expect(await run(...report, "never")).toMatchObject({ code: 1 });
		expect(await run("ship", "report", "--key", "nobody", "--external-ref", "sale")).toMatchObject({ code: 1 });
		expect((await run(...recall, "--formula", "F", "--dry-run")).out).toMatch(/Consumed by partners[^]*sale +1 +1 /);
	});

	it("receives a batch number that was recalled into quarantine, and says so; a person with a reason has it free", async () => {
		const world = (units: number) => ({
			brands: [{ code: "BOLT", name: "Bolt" }],
			lots: [
				{ formula: "F", brand_code: "ACME", batch_number: "D-1", units: 4 },
				...(units === 0 ? [] : [{ formula: "F", brand_code: "BOLT", batch_number: "D-1", units }]),
				{ formula: "G", brand_code: "ACME", batch_number: "D-1", units: 2 },
			],
		});
		expect((await house.importWorld(world(0))).lots.map(({ quarantined }) => quarantined)).toEqual([false, false]);
		await run("stock", "recall", "--batch", "D-1", "--formula", "F", "--reason", "lab report 78");
		const dry = await house.importWorld(world(5), { dryRun: true });
		const done = await house.importWorld(world(5));
		for (const { lots } of [dry, done])
			expect(lots.map(({ quarantined }) => quarantined)).toEqual([false, true, false]);
		const [shared, bolt] = [
			["--batch", "D-1"],
			["--batch", "D-1", "--brand", "BOLT"],
		];
		const receive = ["stock", "receive", "--formula", "F", "--units", "7"];
		expect(await json(...receive, ...shared)).toMatchObject({ received: 7, quarantined: true });
		expect((await run(...receive, ...shared)).out).toContain(
			"7 units received into quarantine, 14 in all.\nA lot of this",
		);
		const own = await run(...receive, ...shared, "--brand", "ACME");
		expect(own.out).toContain("in all.\nThis lot is recalled, so they are not for sale.");
		expect(own.out).not.toContain("--units N");
		const accept = [...receive, ...bolt, "--accept-recalled"];
		expect(await run(...accept)).toMatchObject({ code: 2 });
		const { fg_id, ...accepted } = await json(...accept, "--reason", "another production run");
		expect(accepted).toEqual({ received: 12, quarantined: false });
		expect(await json("stock", "show", fg_id)).toMatchObject({ available: 7, quarantined: 5 });
		const { items } = await json("stock", "history", fg_id);
		expect(JSON.stringify(items)).toContain("accepted although the batch is recalled: another production run");
		expect(await json("stock", "correct", fg_id, "--units", "1", "--reason", "recount")).toMatchObject({
			quarantined: true,
		});
		expect(await run("verify")).toMatchObject({ code: 0 });
	});
});
