import type { Command } from "commander";
import { isRefusal } from "../../../service/src/ground/lib/refusal.ts";
import { quotedCommand, typedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import {
	CERTIFICATE_STATUSES,
	type CertificateStatus,
	type ListedStatus,
} from "../../../service/src/inventory/certificates/certificate.ts";
import type { CertificateName, ShownCertificate } from "../../../service/src/inventory/certificates/change-sql.ts";
import type { StatusSet, StillForSale } from "../../../service/src/inventory/certificates/set-status.ts";
import type { CertificatesReport } from "../../../service/src/upkeep/import/import-certificates.ts";
import { type Context, granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, limitOption } from "../terminal/options.ts";
import { plural, print, shorten, snake, table } from "../terminal/output.ts";
import { addLabels, addQr } from "./coa-print.ts";
import { type RecalledLots, recallCertified } from "./recall.ts";

const ACTOR = "operator:cli";
const LIST_HINT = { not_found: `${quotedCommand("coa list")} shows them.` };
/** Certificates shown by default. */
const DEFAULT_LIMIT = 500;
/** Most changes of an import that are named in human-readable output. */
const MAX_NAMED = 100;

export function addCoa(program: Command): void {
	const group = program.command("coa").description("certificates of analysis: the feed, and what buyers see of a lot");
	addImport(group);
	for (const [name, status, description] of MOVES) addMove(group, name, status, description);
	addShow(group);
	addList(group);
	addQr(group);
	addLabels(group);
}

interface ImportOptions extends JsonOption {
	readonly dryRun?: boolean;
	readonly reissue?: boolean;
}

function addImport(group: Command): void {
	addCommand(
		group,
		"import <folder>",
		"import certificates.csv and the PDFs beside it; all or nothing, and a second run changes nothing",
		"coa import lab-2026-08 --dry-run",
	)
		.option("--dry-run", "show what would change, and change nothing")
		.option("--reissue", "let new certificates take the place of retired ones")
		.action(async (folder: string, { dryRun = false, reissue = false, json }: ImportOptions) => {
			const { importCertificates } = await import("../../../service/src/upkeep/import/import-certificates.ts");
			const { createProgress } = await import("../terminal/progress.ts");
			const progress = await createProgress();
			const report = await withStore(({ db, withFiles }) =>
				withFiles((files) =>
					importCertificates({ db, files, progress }, folder, { actor: "operator:import", dryRun, reissue }),
				),
			);
			print(snake(report), json, () => describeImport(report));
		});
}

function describeImport({ dryRun, created, changed, unchanged, changes, withoutLot }: CertificatesReport): string {
	const { shown, rest } = shorten(changes, MAX_NAMED, "changes");
	const named = shown.map(({ what, slug, batchNumber, status, fields }) => {
		const told = fields.map(({ field, from, to }) => `${field} ${short(from)} -> ${short(to)}`).join(", ");
		return what === "created" ? `+ ${slug} ${batchNumber} (${status})` : `~ ${slug} ${batchNumber}: ${told}`;
	});
	const sum = `${created} ${dryRun ? "to create" : "created"}, ${changed} ${dryRun ? "to change" : "changed"}, ${unchanged} unchanged${withoutLot.length === 0 ? "" : `; ${withoutLot.length} without a lot: nothing of the batch was received yet, or the batch number is wrong`}.`;
	const alone = shorten(withoutLot, MAX_NAMED, "certificates without a lot");
	const lotless = alone.shown.map(({ slug, batchNumber }) => `! ${slug} ${batchNumber}: there is no lot of this batch`);
	return [
		...named,
		...rest,
		...lotless,
		...alone.rest,
		sum,
		...(dryRun ? ["Nothing was changed: this was a dry run."] : []),
	].join("\n");
}

/** Shortens a digest to its beginning. */
const short = (value: string | number | null): string =>
	typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? `${value.slice(0, 12)}…` : String(value ?? "nothing");

const MOVES = [
	["publish", "current", "publish a draft, or an archived certificate again: it becomes current"],
	["archive", "archived", "archive a certificate whose lot is no longer sold; buyers still find it"],
	["retire", "retired", "withdraw a certificate at once and for good: its PDF answers 410, partners get a tombstone"],
] as const;

interface MoveOptions extends JsonOption {
	readonly reason?: string;
	readonly recall?: true;
}

function addMove(group: Command, name: string, status: (typeof MOVES)[number][1], description: string): void {
	const command = addCommand(
		group,
		`${name} <product_slug> <batch_number>`,
		description,
		`coa ${name} glow-serum C-2611`,
	).option("--reason <text>", "the reason; kept with the certificate and, with --recall, in the ledger too");
	if (status === "retired")
		command.option("--recall", "recall the lots of the batch in the same transaction; needs --reason");
	command.action(async (slug: string, batchNumber: string, options: MoveOptions) => {
		if (options.recall && options.reason === undefined) command.error("error: --recall needs --reason");
		const name = { slug, batchNumber };
		const { recall, reason = "" } = options;
		const set = recall
			? await retireWithRecall(name, reason)
			: await withStore((c) => moveWithin(c, name, status, options));
		print(snake(set), options.json, () => describeSet(set, { slug, batchNumber }));
	});
}

interface Moved extends StatusSet {
	/**
	 * For a retired certificate: units of its batch that are still for sale, and the commands that recall them; null:
	 * none are.
	 */
	readonly stillForSale?: (Omit<StillForSale, "formulas"> & { readonly recall: readonly string[] }) | null;
	/** The lots that were recalled with the certificate. */
	readonly recalled?: RecalledLots;
}

async function moveWithin(
	context: Context,
	name: CertificateName,
	status: ListedStatus,
	{ reason }: MoveOptions,
): Promise<Moved> {
	const { db } = context;
	const { setStatus, findStillForSale } = await import("../../../service/src/inventory/certificates/set-status.ts");
	const set = granted(await setStatus(db, name, status, { actor: ACTOR, reason: reason ?? null }), LIST_HINT);
	if (status !== "retired") return set;
	const still = await findStillForSale(db, name);
	return { ...set, stillForSale: still === null ? null : withCommands(still, name) };
}

async function retireWithRecall(name: CertificateName, reason: string): Promise<Moved> {
	const { setStatus, judgeStatus } = await import("../../../service/src/inventory/certificates/set-status.ts");
	const { findLotsToRecall } = await import("../../../service/src/inventory/recall/find-lots-to-recall.ts");
	const [before, lots] = await withStore(async ({ db }) => [
		granted(await judgeStatus(db, name, "retired"), LIST_HINT).status,
		await findLotsToRecall(db, { ...name, formula: null }),
	]);
	const recalled = isRefusal(lots) ? null : await recallCertified(name, reason); // its first step retires the certificate
	const why = { actor: ACTOR, reason };
	const set = granted(await withStore(({ db }) => setStatus(db, name, "retired", why)), LIST_HINT);
	if (recalled === null) return { ...set, stillForSale: null };
	return { ...set, from: before, changed: before !== "retired", stillForSale: null, recalled };
}

function withCommands({ formulas, ...still }: StillForSale, { batchNumber }: CertificateName) {
	const of = formulas === null ? [""] : formulas.map((formula) => ` --formula ${shellWord(formula)}`);
	const recall = of.map((formula) =>
		typedCommand(`stock recall --batch ${shellWord(batchNumber)}${formula} --reason …`),
	);
	return { ...still, recall };
}

/** Quotes the text as one word for a shell. */
const shellWord = (text: string): string =>
	/^[\w.:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function describeSet(
	{ changed, from, status, stillForSale, recalled }: Moved,
	{ slug, batchNumber }: CertificateName,
): string {
	const what = `The certificate of ${slug} ${batchNumber}`;
	const lines = [changed ? `${what} was ${from} and is ${status}.` : `${what} is ${status} already.`];
	if (recalled !== undefined)
		lines.push(`${plural(recalled.fgIds.length, "lot")} recalled: ${plural(recalled.moved, "unit")} quarantined.`);
	if (stillForSale) {
		const { lots, available, bound, recall } = stillForSale;
		lines.push(
			`${plural(available, "unit")} of this batch ${available === 1 ? "is" : "are"} still for sale, in ${plural(lots, "lot")}; holds and orders have ${bound} more. To stop that:`,
			...recall.map((command) => `  ${command}`),
		);
	}
	return lines.join("\n");
}

function addShow(group: Command): void {
	addCommand(
		group,
		"show <batch_number>",
		"the certificates of a batch, their lots and PDFs",
		"coa show C-2611",
	).action(async (batchNumber: string, { json }: JsonOption) => {
		const { listCertificates, refuseUnknownBatch } = await import(
			"../../../service/src/inventory/certificates/list-certificates.ts"
		);
		const list = await withStore(async ({ db }) => {
			const found = await listCertificates(db, { status: null, slug: null, batchNumber }, DEFAULT_LIMIT);
			return granted(found.items.length === 0 ? await refuseUnknownBatch(db, batchNumber) : found);
		});
		print(snake(list), json, () => list.items.map(describe).join("\n\n"));
	});
}

function describe(one: ShownCertificate): string {
	const facts: [string, string | number | null][] = [
		["product", `${one.slug} (${one.productName})`],
		["batch", one.batchNumber],
		["status", one.retireReason === null ? one.status : `${one.status}: ${one.retireReason}`],
		["environment", one.environment],
		["vial size", one.vialSize],
		["tested on", one.testedOn],
		["laboratory", one.labName],
		["purity", one.purityPct === null ? null : `${one.purityPct} %`],
		["PDF", `${one.digest}, ${one.size} bytes`],
		["published", one.publishedAt?.toISOString() ?? null],
		["changed", `${one.updatedAt.toISOString()} by ${one.changedBy}`],
		...one.lots.map(({ fgId, formula, brandCode, recalled }): [string, string] => [
			"lot",
			`${fgId} ${formula} ${brandCode ?? "(shared)"}${recalled ? " RECALLED" : ""}`,
		]),
	];
	return table(["", ""], facts).trimStart();
}

interface ListOptions extends JsonOption {
	readonly status?: CertificateStatus;
	readonly product?: string;
	readonly limit?: number;
}

function addList(group: Command): void {
	addCommand(group, "list", "certificates by product and batch, drafts and retired ones too", "coa list --status draft")
		.option("--status <status>", `only these: ${CERTIFICATE_STATUSES.join(", ")}`, choice(...CERTIFICATE_STATUSES))
		.option("--product <slug>", "only of this product")
		.option(...limitOption(DEFAULT_LIMIT))
		.action(async ({ status, product, limit = DEFAULT_LIMIT, json }: ListOptions) => {
			const { listCertificates } = await import("../../../service/src/inventory/certificates/list-certificates.ts");
			const filter = { status: status ?? null, slug: product ?? null, batchNumber: null };
			const list = await withStore(({ db }) => listCertificates(db, filter, limit));
			print(snake(list), json, () => {
				if (list.items.length === 0) return "No certificates.";
				const rows = list.items.map((one) => [
					one.slug,
					one.batchNumber,
					one.status,
					one.testedOn,
					one.labName,
					one.lots.length,
				]);
				const shown = table(["PRODUCT", "BATCH", "STATUS", "TESTED", "LABORATORY", "LOTS"], rows);
				return list.hasMore ? `${shown}\n… and more: narrow it with --status or --product, or raise --limit.` : shown;
			});
		});
}
