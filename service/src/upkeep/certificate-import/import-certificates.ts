import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { selectWithoutLot } from "../../inventory/certificates/change-sql.ts";
import { type Digest, digestOf } from "../../inventory/certificates/digest.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { type EntryPlan, noSuchProduct } from "../../inventory/certificates/plan.ts";
import {
	findProducts,
	type PutAnswer,
	type PutOptions,
	putCertificates,
	putCertificatesIn,
} from "../../inventory/certificates/put-certificates.ts";
import { type Problem, pointAt } from "../import/entries.ts";
import { refuseProblems } from "../import/refused.ts";
import type { CertificateRow, CertificateTable } from "./read-certificates.ts";

/** Number of files that are looked up in the store at the same time. */
const LOOKED_FOR_AT_ONCE = 32;

/**
 * Checks all rows, and then stores the PDFs with which certificates will be created or changed. If there are problems,
 * names all of them and stores nothing. Returns the digests of the PDFs that are then in the store. `pdfs`: the bytes
 * that came with the table; other PDFs must have been stored before.
 */
export async function storeNeeded(
	{ db, files }: { readonly db: Database; readonly files: FileStore },
	table: CertificateTable,
	pdfs: readonly Buffer[],
	options: PutOptions,
): Promise<ReadonlySet<Digest> | Refusal<"invalid_input">> {
	const entries = table.found.map(({ entry }) => entry);
	const judged = await putCertificates(db, entries, { ...options, dryRun: true });
	const unknown = table.problems.length === 0 ? [] : await findUnknownProducts(db, table.unread);
	const problems = [...table.problems, ...problemsOf(table.found, judged), ...unknown];
	if (problems.length > 0 || !("plans" in judged)) return refuseProblems(problems);
	const stored = new Set<Digest>();
	if (options.dryRun === true) return stored;
	const needed = table.found.filter((_, at) => judged.plans[at]?.what !== "unchanged");
	const wanted = new Set(needed.map(({ entry }) => entry.digest));
	const absent: CertificateRow[] = [];
	const given = new Map(pdfs.map((bytes) => [digestOf(bytes), bytes]));
	for (let from = 0; from < needed.length; from += LOOKED_FOR_AT_ONCE) {
		const some = needed.slice(from, from + LOOKED_FOR_AT_ONCE).filter(({ entry }) => !given.has(entry.digest));
		const there = await Promise.all(some.map(({ entry }) => isStored(files, entry.digest, entry.size)));
		absent.push(...some.filter((_, at) => there[at] === false));
	}
	if (absent.length > 0)
		return refuseProblems(absent.map(({ at }) => ({ at: pointAt(at, "/file"), message: NOT_STORED })));
	for (const [digest, bytes] of given) if (wanted.has(digest)) await files.put(bytes);
	return wanted;
}

const NOT_STORED = "is not in the store: send it with the table, or store it before";

async function isStored(files: FileStore, digest: Digest, size: number): Promise<boolean> {
	const content = await files.open(digest, size);
	content?.destroy();
	return content !== null;
}

/**
 * Imports a table of certificates in the caller's transaction, all or none, once `storeNeeded` has stored their PDFs.
 * Importing the same again changes nothing.
 */
export async function importCertificates(
	tx: Query,
	{ found }: CertificateTable,
	stored: ReadonlySet<Digest>,
	options: PutOptions,
) {
	const entries = found.map(({ entry }) => entry);
	const answer = await putCertificatesIn(tx, entries, options);
	if (!("plans" in answer)) return refuseProblems(problemsOf(found, answer));
	const { plans } = answer;
	const isWhole = entries.every(({ digest }, at) => plans[at]?.what === "unchanged" || stored.has(digest));
	if (!isWhole && options.dryRun !== true)
		return refuse("retry", "A certificate was changed meanwhile. Nothing was done: send the request again.");
	return { ...reportOf(found, plans), withoutLot: await selectWithoutLot(tx, entries) };
}

const problemsOf = (found: readonly CertificateRow[], answer: PutAnswer): Problem[] =>
	"plans" in answer
		? []
		: answer.problems.flatMap(({ entry, message }): Problem[] => {
				const one = found[entry];
				return one === undefined ? [] : [{ at: pointAt(one.at), message }];
			});

/** Unknown products in rows that have other problems too. */
async function findUnknownProducts(db: Database, rows: CertificateTable["unread"]): Promise<Problem[]> {
	const named = rows.filter(({ slug }) => slug !== "" && !slug.includes("\0"));
	const { advice } = await findProducts(
		db,
		named.map(({ slug }) => slug),
	);
	return named.flatMap(({ at, slug }) => {
		const what = advice.get(slug);
		return what === undefined ? [] : [{ at: pointAt(at, "/product_slug"), message: noSuchProduct(slug, what) }];
	});
}

/** The changes are those of all certificates that were created or changed, or would be, in the order of the table. */
function reportOf(found: readonly CertificateRow[], plans: readonly EntryPlan[]) {
	const count = (what: EntryPlan["what"]): number => plans.filter((plan) => plan.what === what).length;
	const changes = found.flatMap(({ entry: { slug, batchNumber, status } }, at) => {
		const plan = plans[at];
		return plan === undefined || plan.what === "unchanged" ? [] : [{ slug, batchNumber, status, ...plan }];
	});
	return { created: count("created"), changed: count("changed"), unchanged: count("unchanged"), changes };
}
