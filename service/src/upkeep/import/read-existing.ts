import { must } from "../../ground/lib/assert.ts";
import { inTurns } from "../../ground/lib/paced.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findEntries, type KnownEntries } from "../../inventory/catalog/find-entries.ts";
import { findCodes } from "../../inventory/catalog/find-shelf.ts";
import { selectMisspeltBatches } from "../../inventory/stock/find-lot-sql.ts";
import { selectPartnerNames } from "../../partners/keys/sql.ts";
import { naturalKey, type Problem, type World } from "./entries.ts";
import {
	danglingIn,
	type Existing,
	keyOf,
	type NamedSection,
	type OtherNames,
	type Reference,
	referencesIn,
} from "./plan.ts";
import * as sql from "./sql.ts";

/**
 * Reads the existing entries that the world names, and those to which partly readable rows refer, in a fixed number of
 * statements and without a lock.
 */
export async function readExisting(tx: Query, world: World, unread: readonly Problem[]): Promise<Existing> {
	const references = Object.groupBy(await inTurns(referencesIn(world, unread)), ({ section }) => section);
	const named = (section: NamedSection): string[] => (references[section] ?? []).map(({ name }) => name);
	const [catalog, lots, promised, keys] = await Promise.all([
		readCatalog(tx, world, named),
		readLots(tx, world),
		readPromised(tx, world),
		readKeys(tx, world, named("partners")),
	]);
	const existing = { ...catalog, ...lots, ...promised, ...keys };
	return { ...existing, others: await readOthers(tx, await inTurns(danglingIn(world, existing, unread))) };
}

/** All names of the sections that these unknown references point to. */
async function readOthers(tx: Query, dangling: readonly Reference[]): Promise<OtherNames> {
	const sections = [...new Set(dangling.map(({ section }) => section))];
	const names = await Promise.all(
		sections.map((section) => (section === "partners" ? selectPartnerNames(tx) : findCodes(tx, section))),
	);
	return Object.fromEntries(sections.map((section, i) => [section, names[i]]));
}

const readCatalog = (
	tx: Query,
	{ formulas, products, skus }: World,
	named: (section: NamedSection) => string[],
): Promise<KnownEntries> =>
	findEntries(tx, {
		formulas: distinct([...formulas.map(({ entry }) => entry.code), ...named("formulas")]),
		products: distinct([...products.map(({ entry }) => entry.slug), ...named("products")]),
		skus: skus.map(({ entry }) => entry.sku),
	});

async function readLots(tx: Query, { lots }: World): Promise<Pick<Existing, "lots" | "batchMeant">> {
	const { rows } = await sql.selectLots(
		tx,
		lots.map(({ entry }) => entry.formula),
		lots.map(({ entry }) => entry.brandCode),
		lots.map(({ entry }) => entry.batchNumber),
	);
	const typed = lots.map(({ entry }) => entry);
	const misspelt = await selectMisspeltBatches(tx, typed);
	const asked = new Map(lots.map(({ entry }) => [keyOf("lots", entry), entry.units]));
	const known = rows.map((row) => ({ ...row, key: naturalKey(row.formula, row.brandCode, row.batchNumber) }));
	const fewer = known.filter(({ key, received }) => (asked.get(key) ?? 0) < received).map(({ fgId }) => fgId);
	const imported = new Map(fewer.map((fgId) => [fgId, 0]));
	if (fewer.length > 0) {
		for (const { fg_id, units } of (await sql.selectImported(tx, fewer)).rows) imported.set(fg_id, units);
	}
	return {
		batchMeant: new Map(misspelt.map(({ index, meant }) => [keyOf("lots", must(typed[index], "lot")), meant])),
		lots: new Map(
			known.map(({ key, fgId, expiresOn, received }) => [
				key,
				{ fgId, expiresOn, received, imported: imported.get(fgId) ?? null },
			]),
		),
	};
}

async function readPromised(tx: Query, world: World): Promise<Pick<Existing, "demand" | "buffers">> {
	const codes = distinct([...world.demand, ...world.buffers].map(({ entry }) => entry.formula));
	const [demand, buffers] = await Promise.all([sql.selectDemand(tx, codes), sql.selectBuffers(tx, codes)]);
	return {
		demand: new Map(
			demand.rows.map(({ formula, brand_code, reference, units }) => [
				naturalKey(formula, brand_code, reference),
				units,
			]),
		),
		buffers: new Map(buffers.rows.map(({ formula, brand_code, units }) => [naturalKey(formula, brand_code), units])),
	};
}

async function readKeys(
	tx: Query,
	{ partners }: World,
	named: readonly string[],
): Promise<Pick<Existing, "partners" | "keys">> {
	const ofKeys = distinct(named);
	const names = distinct([...partners.map(({ entry }) => entry.name), ...ofKeys]);
	const [partnerRows, keyRows] = await Promise.all([sql.selectPartners(tx, names), sql.selectKeys(tx, ofKeys)]);
	return {
		partners: new Map(partnerRows.rows.map(({ name, partner_id }) => [name, partner_id])),
		keys: new Map(keyRows.rows.map(({ partner, name, key_id }) => [naturalKey(partner, name), key_id])),
	};
}

const distinct = (texts: readonly (string | null)[]): string[] => [...new Set(texts.filter((text) => text !== null))];
