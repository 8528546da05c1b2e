import { batchSpelling } from "../../../service/src/inventory/stock/lot.ts";
import { SANDBOX_POOL_ID } from "./catalog.ts";
import type { StoredCertificate } from "./rows.ts";
import type { Means, Statements } from "./statement.ts";

/** The statements about certificates, other than their feed. */
export function certificateStatements({ rows }: Means): Statements {
	const all = (): StoredCertificate[] => [...rows.certificates.values()];
	return {
		select_certificates_of_batch: (batchNumber: string, environment: string, most: number) =>
			all()
				.filter((one) => one.batchNumber === batchNumber && one.environment === environment)
				.sort((a, b) => (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : a.version - b.version))
				.slice(0, most)
				.map(columnsOf),
		select_certificate_file: (certificateId: string, digest: string) => {
			const found = rows.certificates.get(certificateId);
			return found?.digest === digest ? [[found.status, true, found.pdf.length]] : [];
		},
		select_batch_typed: (typed: string) => {
			const lots = [...rows.lots.values()];
			const numbers = new Set([...lots, ...all()].map(({ batchNumber }) => batchNumber));
			const alike = [...numbers].filter((one) => batchSpelling(one) === batchSpelling(typed));
			const only = batchSpelling(typed) !== "" && alike.length === 1 ? alike[0] : undefined;
			const found = numbers.has(typed) ? typed : only;
			if (found === undefined) return [];
			const live = lots.filter(({ batchNumber, poolId }) => batchNumber === found && poolId !== SANDBOX_POOL_ID);
			const isLive = live.length > 0 || all().some((one) => one.batchNumber === found && one.environment === "live");
			return [[found, !isLive, live.some(({ recalled }) => recalled)]];
		},
	};
}

const columnsOf = (one: StoredCertificate): unknown[] => {
	const { version, certificateId, slug, productName, batchNumber, vialSize } = one;
	const facts = [one.testedOn, one.labName, one.purityPct, one.status, one.digest, one.updatedAt];
	return [version, certificateId, slug, productName, batchNumber, vialSize, ...facts];
};
