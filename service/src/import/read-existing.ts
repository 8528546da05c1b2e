import type { Query } from "../pg/connect.ts";
import { naturalKey, type World } from "./entries.ts";
import type { Existing } from "./plan.ts";
import * as sql from "./sql.ts";

/** Reads what of the world is there already, in a fixed number of statements. */
export async function readExisting(tx: Query, world: World): Promise<Existing> {
	const promisedFormulas = distinct([...world.demand, ...world.buffers].map(({ formula }) => formula));
	const [brands, formulas, products, skus, lots, demand, buffers, partners, keys] = await Promise.all([
		sql.selectBrands(tx),
		sql.selectFormulas(tx, formulaCodes(world)),
		sql.selectProducts(
			tx,
			distinct([...world.products.map(({ slug }) => slug), ...world.skus.map(({ product }) => product)]),
		),
		sql.selectSkus(
			tx,
			world.skus.map(({ sku }) => sku),
		),
		readLots(tx, world),
		sql.selectDemand(tx, promisedFormulas),
		sql.selectBuffers(tx, promisedFormulas),
		sql.selectPartners(
			tx,
			distinct([...world.partners.map(({ name }) => name), ...world.keys.map(({ partner }) => partner)]),
		),
		sql.selectKeys(tx, distinct(world.keys.map(({ partner }) => partner))),
	]);
	const byKey = <R, V>(rows: readonly R[], key: (row: R) => string, value: (row: R) => V) =>
		new Map(rows.map((row) => [key(row), value(row)]));
	return {
		brands: byKey(
			brands.rows,
			({ code }) => code,
			({ pool_id, name }) => ({ poolId: pool_id, name }),
		),
		formulas: byKey(
			formulas.rows,
			({ code }) => code,
			({ formula_id, name, status }) => ({ formulaId: formula_id, name, status }),
		),
		products: byKey(
			products.rows,
			({ slug }) => slug,
			({ name }) => ({ name }),
		),
		skus: byKey(
			skus.rows,
			({ sku }) => sku,
			({ slug, vial_size, test_behaviour, ...row }) => ({
				...row,
				product: slug,
				vialSize: vial_size,
				testBehaviour: test_behaviour,
			}),
		),
		lots,
		demand: byKey(
			demand.rows,
			({ formula, brand_code, reference }) => naturalKey(formula, brand_code, reference),
			({ units }) => units,
		),
		buffers: byKey(
			buffers.rows,
			({ formula, brand_code }) => naturalKey(formula, brand_code),
			({ units }) => units,
		),
		partners: byKey(
			partners.rows,
			({ name }) => name,
			({ partner_id }) => partner_id,
		),
		keys: byKey(
			keys.rows,
			({ partner, name }) => naturalKey(partner, name),
			({ key_id }) => key_id,
		),
	};
}

async function readLots(tx: Query, { lots }: World): Promise<Existing["lots"]> {
	const { rows } = await sql.selectLots(
		tx,
		lots.map(({ formula }) => formula),
		lots.map(({ brandCode }) => brandCode),
		lots.map(({ batchNumber }) => batchNumber),
	);
	return new Map(
		rows.map(({ formula, brand_code, batch_number, fg_id, expires_on, received }) => [
			naturalKey(formula, brand_code, batch_number),
			{ fgId: fg_id, expiresOn: expires_on, received },
		]),
	);
}

function formulaCodes({ formulas, skus, lots, demand, buffers }: World): string[] {
	const codes = formulas.map(({ code }) => code);
	for (const { components } of skus) codes.push(...components.map(({ formula }) => formula));
	for (const { formula } of [...lots, ...demand, ...buffers]) codes.push(formula);
	return distinct(codes);
}

const distinct = (texts: readonly (string | null)[]): string[] => [...new Set(texts.filter((text) => text !== null))];
