import type { Database } from "../../ground/pg/connect.ts";
import { selectWithoutLot } from "../../inventory/certificates/change-sql.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { type EntryPlan, noSuchProduct } from "../../inventory/certificates/plan.ts";
import { findProducts, type PutOptions, putCertificates } from "../../inventory/certificates/put-certificates.ts";
import { type Problem, pointAt } from "./entries.ts";
import type { Progress } from "./progress.ts";
import { type CertificateInFolder, readCertificates, readPdfAgain } from "./read-certificates.ts";
import { ImportRefused } from "./refused.ts";

/** What an import of certificates did, or would do, for each certificate. */
export interface CertificatesReport {
	readonly dryRun: boolean;
	readonly created: number;
	readonly changed: number;
	readonly unchanged: number;
	/**
	 * Certificates of the file, changed or not, whose batch has no lot: the goods have not arrived yet, or the batch
	 * number is wrong.
	 */
	readonly withoutLot: readonly { readonly slug: string; readonly batchNumber: string }[];
	/** All certificates that are not unchanged, in the order of the file. */
	readonly changes: readonly ({
		readonly slug: string;
		readonly batchNumber: string;
		readonly status: string;
	} & Exclude<EntryPlan, { readonly what: "unchanged" }>)[];
}

/**
 * Imports a folder of certificates, all or none: first stores every PDF durably, then adds the rows in one transaction.
 * Importing the same folder again changes nothing. @throws ImportRefused
 */
export async function importCertificates(
	{ db, files, progress }: { readonly db: Database; readonly files: FileStore; readonly progress: Progress },
	folder: string,
	options: PutOptions,
): Promise<CertificatesReport> {
	let told = false;
	const read = await readCertificates(folder, (of) => {
		if (!told) progress.stage("Reading PDFs", of);
		told = true;
		progress.advance(1);
	});
	const { found, unread } = read;
	const entries = found.map(({ entry }) => entry);
	// checked before any byte is stored, and again once all are
	const judged = await putCertificates(db, entries, { ...options, dryRun: true });
	if (read.problems.length > 0)
		throw new ImportRefused([...read.problems, ...problemsOf(found, judged), ...(await unknownProducts(db, unread))]);
	const plans = plansOf(found, judged);
	if (options.dryRun !== true) {
		const wanted = found.filter((_, at) => plans[at]?.what !== "unchanged");
		progress.stage("Storing PDFs", wanted.length);
		for (const one of wanted) {
			const bytes = await readPdfAgain(folder, one);
			if (bytes === null)
				throw new ImportRefused([{ at: pointAt(one.at, "/file"), message: "changed while it was read" }]);
			await files.put(bytes);
			progress.advance(1);
		}
		plans.splice(0, plans.length, ...plansOf(found, await putCertificates(db, entries, options)));
	}
	progress.end();
	return { ...reportOf(found, plans, options.dryRun === true), withoutLot: await selectWithoutLot(db, entries) };
}

function plansOf(
	found: readonly CertificateInFolder[],
	answer: Awaited<ReturnType<typeof putCertificates>>,
): EntryPlan[] {
	if ("plans" in answer) return [...answer.plans];
	throw new ImportRefused(problemsOf(found, answer));
}

const problemsOf = (
	found: readonly CertificateInFolder[],
	answer: Awaited<ReturnType<typeof putCertificates>>,
): Problem[] =>
	"plans" in answer
		? []
		: answer.problems.flatMap(({ entry, message }): Problem[] => {
				const one = found[entry];
				return one === undefined ? [] : [{ at: pointAt(one.at), message }];
			});

/** Unknown products in rows that have other problems too. */
async function unknownProducts(
	db: Database,
	rows: Awaited<ReturnType<typeof readCertificates>>["unread"],
): Promise<Problem[]> {
	const named = rows.filter(({ slug }) => slug !== "");
	const { advice } = await findProducts(
		db,
		named.map(({ slug }) => slug),
	);
	return named.flatMap(({ at, slug }) => {
		const what = advice.get(slug);
		return what === undefined ? [] : [{ at: pointAt(at, "/product_slug"), message: noSuchProduct(slug, what) }];
	});
}

function reportOf(
	found: readonly CertificateInFolder[],
	plans: readonly EntryPlan[],
	dryRun: boolean,
): Omit<CertificatesReport, "withoutLot"> {
	const count = (what: EntryPlan["what"]): number => plans.filter((plan) => plan.what === what).length;
	const changes = found.flatMap(({ entry: { slug, batchNumber, status } }, at) => {
		const plan = plans[at];
		return plan === undefined || plan.what === "unchanged" ? [] : [{ slug, batchNumber, status, ...plan }];
	});
	return { dryRun, created: count("created"), changed: count("changed"), unchanged: count("unchanged"), changes };
}
