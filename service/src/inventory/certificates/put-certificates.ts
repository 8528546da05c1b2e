import { newId } from "../../ground/lib/ids.ts";
import { adviceOn } from "../../ground/lib/nearest.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { lockEpoch, takeNumbers } from "../../ground/pg/epoch.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { findCodes } from "../catalog/find-shelf.ts";
import {
	type CertificateName,
	type CertificateToWrite,
	selectProductNames,
	selectRecalled,
	selectStanding,
	writeCertificates,
} from "./change-sql.ts";
import { type CertificateEntry, type EntryPlan, planEntry } from "./plan.ts";

export interface PutOptions {
	/** `operator:<name>` or `system:<what>`. */
	readonly actor: string;
	readonly dryRun?: boolean;
	/** Whether a retired certificate may be replaced by a new one. */
	readonly reissue?: boolean;
}

/** A plan per entry, in order; or, if there are problems, only these, and nothing was done. */
export type PutAnswer =
	| { readonly plans: readonly EntryPlan[] }
	| { readonly problems: readonly { readonly entry: number; readonly message: string }[] };

/** Creates or updates certificates with distinct names, all or none. Their PDFs must be in the store. */
export const putCertificates = (
	db: Database,
	entries: readonly CertificateEntry[],
	options: PutOptions,
): Promise<PutAnswer> => transaction(db, (tx) => putCertificatesIn(tx, entries, options));

/** The same within the caller's transaction, which must end right afterwards. */
export async function putCertificatesIn(
	tx: Query,
	entries: readonly CertificateEntry[],
	{ actor, dryRun = false, reissue = false }: PutOptions,
): Promise<PutAnswer> {
	const before = await lockEpoch(tx, "certificate_epoch");
	const [products, standing, recalled] = await Promise.all([
		findProducts(
			tx,
			entries.map(({ slug }) => slug),
		),
		selectStanding(tx, entries),
		selectRecalled(tx, entries),
	]);
	const { names, advice } = products;
	const known = new Map(standing.map((one) => [keyOf(one), one]));
	const isRecalled = new Set(recalled.map(keyOf));
	const judged = entries.map((entry) =>
		planEntry(entry, {
			productName: names.get(entry.slug) ?? null,
			advice: advice.get(entry.slug) ?? "",
			known: known.get(keyOf(entry)) ?? null,
			recalled: isRecalled.has(keyOf(entry)),
			reissue,
		}),
	);
	const problems = judged.flatMap((plan, entry) => (typeof plan === "string" ? [{ entry, message: plan }] : []));
	if (problems.length > 0) return { problems };
	const plans = judged.filter((plan) => typeof plan !== "string");
	const rows = rowsOf(entries, plans, names);
	if (dryRun || rows.length === 0) return { plans };
	await writeCertificates(tx, rows, { actor, before });
	const numbers = rows.filter(({ place }) => place !== null).length;
	if (numbers > 0) await takeNumbers(tx, "certificate_epoch", numbers);
	return { plans };
}

export async function findProducts(
	db: Query,
	slugs: readonly string[],
): Promise<{ readonly names: ReadonlyMap<string, string>; readonly advice: ReadonlyMap<string, string> }> {
	const distinct = [...new Set(slugs)];
	const names = await selectProductNames(db, distinct);
	const unknown = distinct.filter((slug) => !names.has(slug));
	const known = unknown.length === 0 ? [] : await findCodes(db, "products");
	const adviceOf = (slug: string, i: number): string => adviceOn(slug, i < MAX_GUESSES ? known : [], "import it first");
	return { names, advice: new Map(unknown.map((slug, i) => [slug, adviceOf(slug, i)])) };
}

/** Maximum number of unknown products for which a similar name is suggested; each search can take milliseconds. */
const MAX_GUESSES = 100;

const keyOf = ({ slug, batchNumber }: CertificateName): string => JSON.stringify([slug, batchNumber]);

function rowsOf(
	entries: readonly CertificateEntry[],
	plans: readonly EntryPlan[],
	names: ReadonlyMap<string, string>,
): CertificateToWrite[] {
	let last = 0;
	return entries.flatMap((entry, at) => {
		const plan = plans[at];
		if (plan === undefined || plan.what === "unchanged") return [];
		return [
			{
				...entry,
				certificateId: plan.certificateId ?? newId(),
				productName: names.get(entry.slug) ?? "",
				place: entry.status === "draft" ? null : ++last,
			},
		];
	});
}
