import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { drawQr } from "../../../service/src/inventory/certificates/qr.ts";
import { callOperator, type DataOfCall, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { CommandRefused } from "../terminal/failure.ts";
import { choice, within } from "../terminal/options.ts";
import { complain, plural, print } from "../terminal/output.ts";

const FORMATS = ["svg", "png"] as const;
const { paper: PAPERS, copies: COPIES } = FIELDS.print_lot_labels;

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
		.action(async (batch: string, { format = "svg", out, json }: QrOptions) => {
			const { items } = await listItems("list_certificates", { batch_number: batch });
			const standing = items.filter(({ status }) => status !== "retired");
			const [first] = standing;
			if (first === undefined)
				throw new CommandRefused(
					"not_found",
					`Batch ${JSON.stringify(batch)} has no certificate, or only a retired one.`,
				);
			const { verify_url: url, slug } = first;
			const svg = format === "svg" ? await callOperator("get_certificate_qr", { params: { slug, batch } }) : null;
			await writeTo(out, svg?.bytes ?? (await drawQr(url, format)));
			const warnings = warningsOf(standing, url);
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
		.option("--copies <n>", "labels of each (1)", within(COPIES))
		.requiredOption("--out <file>", "where to write it")
		.action(async (batches: string[], { paper, copies, out, json }: LabelOptions) => {
			const body = { batch_numbers: batches, copies, paper };
			const { bytes, headers } = await callOperator("print_lot_labels", { body });
			await writeTo(out, bytes);
			const { items: drafts } = await listItems("list_certificates", { status: "draft" });
			const printed = drafts.filter(({ batch_number: batch }) => batches.includes(batch));
			const warnings = warningsOf(printed, String(headers["x-verify-url"]));
			for (const warning of warnings) complain(warning);
			const labels = Number(headers["x-labels"]);
			print({ file: out, labels, warnings }, json, () => `${plural(labels, "label")} in ${out}.`);
		});
}

type Printed = Pick<DataOfCall<"get_certificate">, "slug" | "batch_number" | "status">;

/** Reasons why the printed code may not work for a buyer. `verifyUrl`: the page that a code leads to. */
export function warningsOf(printed: readonly Printed[], verifyUrl: string): string[] {
	const { origin, hostname } = new URL(verifyUrl);
	const nowhere = isLoopback(hostname)
		? [`Warning: ${origin} can be reached only on this machine: set HOLDFAST_COA_URL to the public address.`]
		: [];
	const drafts = printed.filter(({ status }) => status === "draft");
	return [
		...nowhere,
		...drafts.map(
			({ slug, batch_number: batch }) =>
				`Warning: the certificate of ${slug} ${batch} is a draft, which buyers do not see: ${quotedCommand(`coa publish ${slug} ${batch}`)} publishes it.`,
		),
	];
}

/** Whether the address points to the reader's own machine. `0.0.0.0` and `::` are only for listening. */
const isLoopback = (hostname: string): boolean =>
	/^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);

/** Writes a file, in place of another. */
export async function writeTo(file: string, content: string | Buffer): Promise<void> {
	await writeFile(file, content).catch((error: Error) => {
		throw new OperatorError(`${file} cannot be written: ${error.message}`, { cause: error });
	});
}
