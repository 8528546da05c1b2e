import { SANDBOX_SKU_PREFIX } from "../../../service/src/glossary.ts";
import { must } from "../../../service/src/ground/lib/assert.ts";
import { type Means, pageOf, type Statements } from "./statement.ts";

/** The statements about prepaid units and receipts. */
export function stockStatements({ rows, engine }: Means): Statements {
	return {
		select_prepaid: (poolId: number, formulaIds: readonly string[]) =>
			formulaIds.flatMap((id) => {
				const items = rows.mirrors.get(poolId)?.items.filter(({ formulaId }) => formulaId === id) ?? [];
				return items.length === 0 ? [] : [[id, items.reduce((sum, { prepaidUnits }) => sum + prepaidUnits, 0)]];
			}),
		select_receipts: (
			after: number,
			most: number,
			poolId: number,
			sandbox: boolean,
			_timeZone: string,
			from: string | null,
			to: string | null,
			formulaIds: readonly string[] | null,
			batchNumber: string | null,
		) => {
			const { catalog, today, now: at } = engine.open();
			const listed = rows.receipts.flatMap((one): [number, ...unknown[]][] => {
				const lot = must(rows.lots.get(one.fgId), "the lot of a receipt");
				const { formulaId } = lot;
				const isAsked =
					lot.poolId === poolId &&
					(from === null || one.receivedOn >= from) &&
					(to === null || one.receivedOn <= to) &&
					(formulaIds === null || formulaIds.includes(formulaId)) &&
					(batchNumber === null || lot.batchNumber === batchNumber);
				if (!isAsked) return [];
				const skus = [...catalog.skus.values()].filter(
					({ sku, components }) =>
						sku.startsWith(SANDBOX_SKU_PREFIX) === sandbox &&
						components.some(({ formula }) => formula.formulaId === formulaId),
				);
				const { name } = must(catalog.formulas.get(formulaId), "a formula");
				const made = skus.map(({ sku }) => sku).sort();
				const about = [one.receivedOn, formulaId, name, made, lot.batchNumber, lot.expiresOn];
				const units = [one.received, one.corrected, lot.available, lot.quarantined];
				return [[one.listed.number, one.receiptId, ...about, ...units, one.listed.at, today]];
			});
			return pageOf(listed, { numbers: rows.receiptNumbers, now: at, after, most });
		},
	};
}
