import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { refuse } from "../../../service/src/ground/lib/refusal.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { ShownCertificate } from "../../../service/src/inventory/certificates/change-sql.ts";
import { granted, linksOf, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, wholeNumber } from "../terminal/options.ts";
import { complain, plural, print } from "../terminal/output.ts";

const FORMATS = ["svg", "png"] as const;
const PAPERS = ["A4", "LETTER"] as const;
const MAX_COPIES = 1_000;
const MAX_LABELS = 10_000;

interface QrOptions extends JsonOption {
	readonly format?: (typeof FORMATS)[number];
	readonly out: string;
}

export function addQr(group: Command): void {
	addCommand(
		group,
		"qr <batch_number>",
		"a QR code that leads to the buyer's page of the lot",
		"coa qr C-2611 --out c-2611.svg",
	)
		.option("--format <format>", "svg or png (svg)", choice(...FORMATS))
		.requiredOption("--out <file>", "where to write it")
		.action(async (batchNumber: string, { format = "svg", out, json }: QrOptions) => {
			const { drawQr } = await import("../../../service/src/inventory/certificates/qr.ts");
			const { url, warnings } = await withStore(async ({ db, agreed }) => {
				const found = await certificatesOf(db, [batchNumber]);
				const { verifyUrl } = await linksOf(await agreed("HOLDFAST_COA_URL"));
				return { url: verifyUrl(batchNumber), warnings: warningsOf(found, verifyUrl) };
			});
			await writeTo(out, await drawQr(url, format));
			for (const warning of warnings) complain(warning);
			print({ file: out, format, verify_url: url, warnings }, json, () => `${out} leads to ${url}`);
		});
}

interface LabelOptions extends JsonOption {
	readonly paper?: (typeof PAPERS)[number];
	readonly copies?: number;
	readonly out: string;
}

export function addLabels(group: Command): void {
	addCommand(
		group,
		"labels <batch_number...>",
		"a sheet of labels as PDF: QR code, product and batch",
		"coa labels C-2611 C-2612 --copies 24 --out labels.pdf",
	)
		.option("--paper <size>", "A4 (3 by 8) or LETTER (3 by 10) (A4)", choice(...PAPERS))
		.option("--copies <n>", "labels of each (1)", wholeNumber(1, MAX_COPIES))
		.requiredOption("--out <file>", "where to write it")
		.action(async (batches: string[], { paper = "A4", copies = 1, out, json }: LabelOptions, command: Command) => {
			if (batches.length * copies > MAX_LABELS) command.error(`error: at most ${MAX_LABELS} labels at a time`);
			const { drawLabels } = await import("../../../service/src/inventory/certificates/labels.ts");
			const { labels, warnings } = await withStore(async ({ db, agreed }) => {
				const links = await linksOf(await agreed("HOLDFAST_COA_URL"));
				const found = await certificatesOf(db, batches);
				const drawn = found.flatMap(({ productName, batchNumber }) =>
					Array.from({ length: copies }, () => ({ productName, batchNumber, verifyUrl: links.verifyUrl(batchNumber) })),
				);
				return { labels: drawn, warnings: warningsOf(found, links.verifyUrl) };
			});
			await writeTo(out, await drawLabels(labels, paper));
			for (const warning of warnings) complain(warning);
			print({ file: out, labels: labels.length, warnings }, json, () => `${plural(labels.length, "label")} in ${out}.`);
		});
}

/** The current certificates of these batches. Every batch must have one. */
async function certificatesOf(db: Parameters<Parameters<typeof withStore>[0]>[0]["db"], batches: readonly string[]) {
	const { listCertificates } = await import("../../../service/src/inventory/certificates/list-certificates.ts");
	const found = [];
	for (const batchNumber of batches) {
		const { items } = await listCertificates(db, { status: null, slug: null, batchNumber }, MAX_LABELS);
		const standing = items.filter(({ status }) => status !== "retired");
		const none = refuse("not_found", `Batch ${JSON.stringify(batchNumber)} has no published certificate.`);
		found.push(...granted(standing.length === 0 ? none : standing));
	}
	return found;
}

/** Reasons why the printed code may not work for a buyer. */
export function warningsOf(
	printed: readonly Pick<ShownCertificate, "slug" | "batchNumber" | "status">[],
	verifyUrl: (batchNumber: string) => string,
): string[] {
	const { origin, hostname } = new URL(verifyUrl(""));
	const nowhere = isLoopback(hostname)
		? [`Warning: ${origin} can be reached on this machine only: set HOLDFAST_COA_URL to the public address.`]
		: [];
	const drafts = printed.filter(({ status }) => status === "draft");
	return [
		...nowhere,
		...drafts.map(
			({ slug, batchNumber }) =>
				`Warning: the certificate of ${slug} ${batchNumber} is a draft, which buyers do not see: ${quotedCommand(`coa publish ${slug} ${batchNumber}`)} publishes it.`,
		),
	];
}

/** Whether the address points to the reader's own machine. `0.0.0.0` and `::` are only for listening. */
const isLoopback = (hostname: string): boolean =>
	/^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);

async function writeTo(file: string, content: string | Buffer): Promise<void> {
	await writeFile(file, content).catch((error: Error) => {
		throw new OperatorError(`${file} cannot be written: ${error.message}`, { cause: error });
	});
}
