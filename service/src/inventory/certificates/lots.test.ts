import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CoaWorld, openCoaWorld } from "../../../test/contract/coa-world.ts";
import { unique } from "../../../test/contract/world.ts";
import { LINKS } from "../../../test/links.ts";
import { recallInSteps, restoreInSteps } from "../../../test/recall-steps.ts";
import { setStatus } from "../../../test/set-status.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { explain } from "../../upkeep/ledger/explain.ts";
import { verify } from "../../upkeep/ledger/verify.ts";
import { Release, Reserve } from "../holds/contract.ts";
import { Check, Inventory, Products, Receipts, Summary } from "../stock/contract.ts";
import { archiveSoldOut } from "./tasks.ts";

const origin = { actor: "operator:test", requestId: null };

interface Goods {
	readonly slug: string;
	readonly sku: string;
	readonly code: string;
	readonly batch: string;
	readonly fgIds: readonly string[];
}

/** A product whose one SKU is made of one formula, with a batch in these pools. */
async function goods(world: CoaWorld, brands: readonly (string | null)[], units = 10): Promise<Goods> {
	const [slug, code, sku, batch] = [unique("slug"), unique("F"), unique("S"), unique("B")];
	await world.has({ brands: brands.flatMap((brand) => (brand === null ? [] : [{ code: brand, name: brand }])) });
	await world.has({
		products: [{ slug, name: slug }],
		formulas: [{ code, name: code, status: "active" }],
		skus: [{ sku, name: sku, product: slug, kind: "single", components: [{ formula: code, per_kit: 1 }] }],
		lots: brands.map((brand) => ({ formula: code, brand_code: brand, batch_number: batch, units })),
	});
	const { rows } = await world.db.query<{ fg_id: string }>("select fg_id from lot where batch_number = $1", [batch]);
	return { slug, sku, code, batch, fgIds: rows.map(({ fg_id }) => fg_id) };
}

const statusOf = async (world: CoaWorld, { slug, batch }: Goods): Promise<string> => {
	const { rows } = await world.db.query<{ status: string }>(
		"select status from certificate where product_slug = $1 and batch_number = $2 and not reissued order by version desc nulls first limit 1",
		[slug, batch],
	);
	return rows[0]?.status ?? "none";
};

async function recall(world: CoaWorld, { batch }: Goods): Promise<void> {
	const answer = await recallInSteps(world.db, {
		origin,
		target: { batchNumber: batch, formula: null, slug: null },
		reason: "bad",
	});
	if (isRefusal(answer)) throw new Error(answer.message);
}

describe("A recall", () => {
	let world: CoaWorld;
	beforeAll(async () => void (world = await openCoaWorld()));
	afterAll(() => world.stop());

	it("retires the certificates of its lots in the transaction that recalls them, and leaves others alone", async () => {
		const bad = await goods(world, [null, "ACME"]);
		const good = await goods(world, [null]);
		await world.certify({ slug: bad.slug, batchNumber: bad.batch }, { slug: good.slug, batchNumber: good.batch });
		await world.certify({ slug: good.slug, batchNumber: bad.batch }); // the number of another product's batch
		await recall(world, bad);
		expect(await statusOf(world, bad)).toBe("retired");
		expect(await statusOf(world, good)).toBe("current");
		expect(await statusOf(world, { ...good, batch: bad.batch })).toBe("current");
		const { rows } = await world.db.query(
			"select count(distinct xmin::text)::int as transactions from (select xmin from lot where fg_id = any($1) union all select xmin from certificate where product_slug = $2) t",
			[bad.fgIds, bad.slug],
		);
		expect(rows).toEqual([{ transactions: 1 }]);
		expect((await verify(world.db)).differences).toEqual([]);
	});

	it("stands in the way of publishing until the lot is restored; then a new certificate takes the retired one's place", async () => {
		const bad = await goods(world, [null]);
		const name = { slug: bad.slug, batchNumber: bad.batch };
		const by = { actor: "operator:test", reason: null };
		await world.certify({ ...name });
		await recall(world, bad);
		expect(await setStatus(world.db, LINKS, name, "current", by)).toMatchObject({ refusal: "wrong_state" });
		await expect(world.certify({ ...name })).rejects.toThrow(/recalled/);
		await world.certify({ ...name, status: "draft" });
		expect(await setStatus(world.db, LINKS, name, "current", by)).toMatchObject({ refusal: "wrong_state" });
		const { token } = await world.key();
		const listed = async () =>
			(await world.ask(`/api/partner/v1/coa?product=${bad.slug}&status=all`, { token })).json.data.items;
		expect((await listed()).map((one: { status: string }) => one.status)).toEqual(["retired"]);
		await restoreInSteps(world.db, {
			origin,
			fgId: bad.fgIds[0] ?? "",
			units: "all",
			reason: "false alarm",
		});
		expect(await setStatus(world.db, LINKS, name, "current", by)).toMatchObject({ status: "current", changed: true });
		expect((await listed()).map((one: { status: string }) => one.status)).toEqual(["current"]);
		expect((await verify(world.db)).differences).toEqual([]);
	});

	it("and a publish at the same moment never leave a current certificate of a recalled lot", async () => {
		for (let round = 0; round < 12; round++) {
			const bad = await goods(world, [null, "ACME"]);
			const name = { slug: bad.slug, batchNumber: bad.batch };
			await world.certify({ ...name, status: "draft" });
			await Promise.all([
				recall(world, bad),
				setStatus(world.db, LINKS, name, "current", { actor: "operator:test", reason: null }),
			]);
			expect(["draft", "retired"]).toContain(await statusOf(world, bad));
		}
		expect((await verify(world.db)).differences).toEqual([]);
	});

	it("waits for nobody who keeps the numbers of certificates but the lock itself, and is done when it is let go", async () => {
		const bad = await goods(world, [null]);
		await world.certify({ slug: bad.slug, batchNumber: bad.batch });
		let waiting: Promise<void> = Promise.resolve();
		await transaction(world.db, async (tx) => {
			await tx.query("select from certificate_epoch for update");
			waiting = recall(world, bad);
			await new Promise((resolve) => setTimeout(resolve, 300));
			expect(await statusOf(world, bad)).toBe("current");
		});
		await waiting;
		expect(await statusOf(world, bad)).toBe("retired");
	});

	it("a lot that is sold out has its certificate archived, one with anything left has not", async () => {
		const gone = await goods(world, [null], 5);
		const left = await goods(world, [null, "ACME"], 5);
		const never = await goods(world, [null], 5);
		for (const { slug, batch } of [gone, left]) await world.certify({ slug, batchNumber: batch });
		await world.certify({ slug: never.slug, batchNumber: "no lot has it" });
		await world.destroy(gone.fgIds[0] ?? "", "all");
		await world.destroy(left.fgIds[0] ?? "", "all");
		expect(await archiveSoldOut(world.db)).toBe(1);
		expect(await archiveSoldOut(world.db)).toBe(0);
		expect([await statusOf(world, gone), await statusOf(world, left)]).toEqual(["archived", "current"]);
	});
});

describe("Where a current certificate is required", () => {
	let world: CoaWorld;
	let token: string;
	beforeAll(async () => {
		world = await openCoaWorld({ HOLDFAST_COA_REQUIRED: "true" });
		({ token } = await world.key());
	});
	afterAll(() => world.stop());

	const counts = async ({ sku }: Goods) => {
		const check = (await world.call(Check, token, { items: [{ sku, qty: 1 }] })).data.items[0];
		const product = (await world.call(Products, token, { sku })).data.items[0];
		const position = (await world.call(Inventory, token, { sku })).data;
		return [check?.atp_qty, check?.available_qty, product?.availability.atp_qty, position.totals.atp];
	};
	const reserve = (sku: string, qty: number) => world.call(Reserve, token, { items: [{ sku, qty }] });

	it("units of a lot without one are in no count, and no reserve is granted them", async () => {
		const lot = await goods(world, [null]);
		expect(await counts(lot)).toEqual([0, 0, 0, 0]);
		expect((await reserve(lot.sku, 1)).verdict).toBe("409 no_inventory");
		await world.certify({ slug: lot.slug, batchNumber: lot.batch });
		expect(await counts(lot)).toEqual([10, 10, 10, 10]);
		const hold = await reserve(lot.sku, 4);
		expect(hold.status).toBe(201);
		await world.set(lot.slug, lot.batch, "archived");
		expect(await counts(lot)).toEqual([0, 0, 0, 0]);
		expect((await reserve(lot.sku, 1)).verdict).toBe("409 no_inventory");
		// granted units stay granted; returned units are free once the certificate is current again
		expect((await world.call(Release, token, { reservation_token: hold.data.reservation_token })).status).toBe(200);
		expect(await counts(lot)).toEqual([0, 0, 0, 0]);
		await world.set(lot.slug, lot.batch, "current");
		expect(await counts(lot)).toEqual([10, 10, 10, 10]);
		expect(await world.audit()).toEqual([]);
	});

	it("a pick takes the lots that have one, whatever expires first", async () => {
		const lot = await goods(world, [null]);
		const other = unique("B");
		await world.has({
			lots: [{ formula: lot.code, brand_code: null, batch_number: other, units: 10, expires_on: world.day(30) }],
		});
		await world.certify({ slug: lot.slug, batchNumber: lot.batch });
		const hold = await reserve(lot.sku, 10);
		expect(hold.data.items[0]?.fg_ids).toEqual(lot.fgIds);
		expect((await reserve(lot.sku, 1)).verdict).toBe("409 no_inventory");
	});

	it("explain counts as check does, and names the batches that lack one", async () => {
		const lot = await goods(world, [null]);
		const ask = () =>
			explain(world.db, "UTC", {
				sku: lot.sku,
				caller: null,
				brandCode: undefined,
				at: null,
				certificatesRequired: true,
			});
		expect(await ask()).toMatchObject({
			counts: { atp_qty: 0 },
			notes: [expect.stringContaining(lot.batch), expect.anything()],
		});
		await world.certify({ slug: lot.slug, batchNumber: lot.batch });
		expect(await ask()).toMatchObject({ counts: { atp_qty: 10 }, notes: [expect.anything()] });
	});

	it("units that a lapsed hold still binds count only with one", async () => {
		const lot = await goods(world, [null]);
		await world.certify({ slug: lot.slug, batchNumber: lot.batch });
		const hold = await reserve(lot.sku, 10);
		await world.set(lot.slug, lot.batch, "archived");
		await world.lapse(hold.data.reservation_token);
		expect(await counts(lot)).toEqual([0, 0, 0, 0]);
	});

	it("summary and receipts say so too, and a batch may still be received", async () => {
		const lot = await goods(world, ["BOLT"]);
		const { token: brand } = await world.key({ brand: "BOLT" });
		const rows = async () => {
			const summary = (await world.call(Summary, brand, {})).data.items.find(({ skus }) => skus.includes(lot.sku));
			const receipt = (await world.call(Receipts, brand, { sku: lot.sku })).data.items[0];
			return [summary?.shippable_units, receipt?.units_available, receipt?.units_received];
		};
		expect(await rows()).toEqual([0, 0, 10]);
		await world.certify({ slug: lot.slug, batchNumber: lot.batch });
		expect(await rows()).toEqual([10, 10, 10]);
		await world.set(lot.slug, lot.batch, "archived");
		await world.has({ lots: [{ formula: lot.code, brand_code: "BOLT", batch_number: lot.batch, units: 15 }] });
		expect(await rows()).toEqual([0, 0, 15]);
	});
});
