import { afterAll, beforeAll, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { GetOperatorOrder } from "../../src/inventory/orders/admin-contract.ts";
import { ShipBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { GetRun } from "../../src/partners/runs/admin-contract.ts";
import { ImportTracking } from "../../src/upkeep/import/tracking-admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows, placeOrder } from "./placed.ts";

/** More boxes than one step ships. */
const MANY = 130;

let house: House;
let key: { readonly token: string };
const place = (ref: string, more = {}) => placeOrder(house, key.token, ref, { qty: 1, ...more });
const csv = (...lines: string[]) => ({
	name: "tracking.csv",
	bytes: `${["order,tracking,carrier", ...lines].join("\n")}\n`,
});
const importFile = (file: ReturnType<typeof csv>, body?: object, headers = {}) =>
	operate(house, ImportTracking, { files: [file], headers, ...(body === undefined ? {} : { body }) });
const importParcels = (parcels: readonly object[], more = {}) =>
	operate(house, ImportTracking, { body: { parcels, ...more } });
const statusOf = async (ref: string) =>
	(await house.db.query<{ status: string }>("select status from orders where ref = $1", [ref])).rows[0]?.status;
const lastAudit = async () =>
	(await house.db.query("select actor, about, operation, status, body from audit_log order by seq desc limit 1"))
		.rows[0];

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 1_000 });
	key = await house.mint({ scopes: ["atp.reserve", "atp.orders"] });
});
afterAll(() => house.close());

it("A file is shipped line by line with one row in the audit log, and the same file again changes nothing", async () => {
	const [first, second] = [await place("csv-1", { external_order_id: "shop,1" }), await place("csv-2")];
	const before = await auditRows(house);
	const file = csv('"shop,1",1Z5,ups', `${second.order_id},1Z6,`, "csv-1,1Z5,ups");
	const done = await importFile(file, { reason: "Monday's parcels" });
	expect([done.status, done.json.data]).toMatchObject([
		200,
		{
			shipped: 2,
			unchanged: 1,
			refused: 0,
			items: [
				{ line: 2, order: "shop,1", order_id: first.order_id, outcome: "shipped", message: null },
				{ line: 3, order_id: second.order_id, outcome: "shipped", shipment_id: second.shipments[0]?.shipment_id },
				{ line: 4, outcome: "unchanged", shipment_id: first.shipments[0]?.shipment_id },
			],
		},
	]);
	expect(await auditRows(house)).toBe(before + 1);
	const row = await lastAudit();
	expect(row).toMatchObject({ about: "tracking.csv", operation: "import_tracking", status: 200 });
	expect(row?.body).toMatchObject({ reason: "Monday's parcels", files: [{ name: "tracking.csv" }] });
	const { rows } = await house.db.query("select distinct actor from unit_move where cause = 'ship'");
	expect(rows).toEqual([{ actor: row?.actor }]);
	const shown = await operate(house, GetOperatorOrder, { params: { id: "csv-1" } });
	expect(shown.json.data.timeline).toMatchObject([
		{ what: "placed" },
		{ what: "labelled", by: row?.actor },
		{ what: "shipped", by: row?.actor },
	]);
	const again = await importFile(file);
	expect(again.json.data).toMatchObject({
		shipped: 0,
		unchanged: 3,
		refused: 0,
		items: [{ line: 2 }, { line: 3 }, {}],
	});
	expect(await auditRows(house)).toBe(before + 1);
	expect((await importFile(csv())).json.data).toEqual({ shipped: 0, unchanged: 0, refused: 0, items: [] });
});

it("An order of which one box was shipped alone and the rest by a file shows both", async () => {
	const { order_id: id } = await place("in-two", { qty: 3 });
	const body = { carrier: "ups", tracking_number: "1Z-ALONE", parts: [{ sku: "ONE", qty: 1 }] };
	expect((await operate(house, ShipBox, { params: { id }, body })).status).toBe(200);
	expect((await importFile(csv("in-two,1Z-REST,ups"))).json.data.shipped).toBe(1);
	const { timeline } = (await operate(house, GetOperatorOrder, { params: { id } })).json.data;
	const by = expect.stringMatching(/^operator:/);
	const left = timeline.filter(({ what }: { what: string }) => what === "shipped");
	expect(left).toMatchObject([{ by }, { by }]);
});

it("All that is wrong is named by its place, whether it came as a file or as JSON, and nothing is changed", async () => {
	await place("good");
	const before = await auditRows(house);
	const bad = await importFile(csv("good,1Z7,ups", "nobody, 1Z8,u", ",,", "good,1Z7,upps,9"));
	expect([bad.status, bad.json.error.code, bad.json.error.message]).toEqual([
		400,
		"invalid_input",
		expect.stringMatching(/^tracking\.csv line 5: [^]*\nNothing was changed: fix the input and import it again\.$/),
	]);
	expect(bad.json.error.problems.map(({ at }: { at: string }) => at)).toEqual([
		"tracking.csv line 5",
		"tracking.csv line 4, order",
		"tracking.csv line 4, tracking",
		"tracking.csv line 3, carrier",
		"tracking.csv line 3, order",
		"tracking.csv line 3, tracking",
	]);
	const parcels = [
		{ order: "good", carrier: "upps", tracking: "1Z7" },
		{ order: "nobody", tracking: "1Z8" },
	];
	const { json } = await importParcels(parcels);
	expect(json.error.problems).toMatchObject([
		{ at: "/parcels/0/carrier", message: expect.stringContaining('did you mean "ups"') },
		{ at: "/parcels/1/order", message: expect.stringContaining("There is no order") },
	]);
	const notText = { name: "tracking.csv", bytes: new Uint8Array([0xff, 0xfe, 0x41]) };
	expect((await operate(house, ImportTracking, { files: [notText] })).json.error.problems).toEqual([
		{ at: "tracking.csv", message: "is not UTF-8: save it in that encoding" },
	]);
	for (const asked of [{ body: {} }, { body: { parcels }, files: [csv("good,1Z7,ups")] }])
		expect((await operate(house, ImportTracking, asked)).json.error.message).toBe(
			"/parcels: give either a file or parcels",
		);
	expect([await statusOf("good"), await auditRows(house)]).toEqual(["placed", before]);
});

it("What a person may have meant is accepted when it is said, and a repeat under its key is answered alike", async () => {
	await Promise.all(["meant-1", "meant-2"].map((ref) => place(ref)));
	const parcels = ["meant-1", "meant-2"].map((order) => ({ order, carrier: "bike", tracking: "T1" }));
	expect((await importParcels(parcels)).json.error.problems).toHaveLength(3);
	const meant = { other_carrier: true, same_parcel: true };
	const headers = { "idempotency-key": "meant" };
	const send = () => operate(house, ImportTracking, { body: { parcels, ...meant }, headers });
	const done = await send();
	expect(done.json.data).toMatchObject({ shipped: 2, items: [{ line: 1 }, { line: 2 }] });
	const repeated = await send();
	expect([repeated.json, repeated.headers["idempotent-replayed"]]).toEqual([done.json, "true"]);
	expect((await importParcels(parcels, meant)).json.data).toMatchObject({ shipped: 0, unchanged: 2 });
});

it("More boxes than one step takes are a run, which ships all of them once", async () => {
	const refs = Array.from({ length: MANY }, (_, n) => `many-${n}`);
	for (let from = 0; from < MANY; from += 10) await Promise.all(refs.slice(from, from + 10).map((ref) => place(ref)));
	const before = await auditRows(house);
	const done = await importFile(csv(...refs.map((ref, n) => `${ref},MANY-${n},ups`)));
	const { rows } = await house.db.query(
		"select run_id from operator_run where operation = 'import_tracking' order by run_id",
	);
	const { run_id } = must(rows.at(-1), "the run") as { run_id: string };
	await expect
		.poll(async () => (await operate(house, GetRun, { params: { run_id } })).json.data)
		.toMatchObject({ status: "done", done: MANY, of: MANY, result: { shipped: MANY, refused: 0 } });
	if (done.status === 202) expect(done.json.data).toEqual({ run_id });
	else expect(done.json.data).toMatchObject({ shipped: MANY });
	expect(await auditRows(house)).toBe(before + 1);
	const { rows: shipped } = await house.db.query(
		"select count(*)::int as n, count(distinct tracking_number)::int as numbers from shipment where tracking_number like 'MANY-%'",
	);
	expect(shipped).toEqual([{ n: MANY, numbers: MANY }]);
	expect((await verify(house.db)).ok).toBe(true);
}, 60_000);
