import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand, typedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { callOperator, type DataOfCall, type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, limitOption } from "../terminal/options.ts";
import { factTable, listed, plural, print, tableOf } from "../terminal/output.ts";
import { addImport, addStore } from "./coa-import.ts";
import { addLabels, addQr } from "./coa-print.ts";

/** Certificates shown by default. */
const DEFAULT_LIMIT = 500;
const { status: STATUSES } = FIELDS.list_certificates;
const HINT = { not_found: `${quotedCommand("coa list")} shows them.` } as const;

type Shown = ItemOf<"list_certificates">;

export function addCoa(program: Command): void {
	const group = program.command("coa").description("certificates of analysis: the feed, and what buyers see of a lot");
	addImport(group);
	addStore(group);
	addMove(group, "publish", "publish a draft, or an archived certificate again: it becomes current");
	addMove(group, "archive", "archive a certificate whose lot is no longer sold; buyers still find it");
	addRetire(group);
	addShow(group);
	addList(group);
	addQr(group);
	addLabels(group);
}

interface MoveOptions extends JsonOption {
	readonly reason?: string;
	readonly recall?: true;
}

const addMoveCommand = (group: Command, name: string, description: string): Command =>
	addCommand(group, `${name} <product_slug> <batch_number>`, description, `coa ${name} glow-serum C-2611`).option(
		"--reason <text>",
		"the reason; kept with the certificate and, with a recall, in the ledger too",
	);

function addMove(group: Command, name: "publish" | "archive", description: string): void {
	addMoveCommand(group, name, description).action(async (slug: string, batch: string, options: MoveOptions) => {
		const asked = { params: { slug, batch }, body: { reason: options.reason } };
		const set = await callOperator(`${name}_certificate`, asked, HINT);
		print(set, options.json, () => describeSet(set, slug, batch));
	});
}

function addRetire(group: Command): void {
	const description = "withdraw a certificate immediately and for good: its PDF answers 410, partners get a tombstone";
	addMoveCommand(group, "retire", description)
		.option("--recall", "recall the lots of the batch in the same transaction; needs --reason")
		.action(async (slug: string, batch: string, { json, ...body }: MoveOptions, command: Command) => {
			if (body.recall && body.reason === undefined) command.error("error: --recall needs --reason");
			const retired = await callOperator("retire_certificate", { params: { slug, batch }, body }, HINT);
			print(retired, json, () => [describeSet(retired, slug, batch), ...describeUnits(retired)].join("\n"));
		});
}

type StatusSet = DataOfCall<"publish_certificate">;
type Retired = DataOfCall<"retire_certificate">;

function describeSet(
	{ changed, from, status }: Pick<StatusSet, "changed" | "from" | "status">,
	slug: string,
	batch: string,
) {
	const what = `The certificate of ${slug} ${batch}`;
	return changed ? `${what} was ${from} and is ${status}.` : `${what} is ${status} already.`;
}

/** Units of the batch: recalled, or still for sale. */
function describeUnits({ still_for_sale: still, recalled }: Retired): string[] {
	if (recalled !== null)
		return [`${plural(recalled.fg_ids.length, "lot")} recalled: ${plural(recalled.moved, "unit")} quarantined.`];
	if (still === null) return [];
	const { lots, available, bound, recall } = still;
	return [
		`${plural(available, "unit")} of this batch ${available === 1 ? "is" : "are"} still for sale, in ${plural(lots, "lot")}; holds and orders have ${bound} more. To stop that:`,
		...recall.map(({ batch_number: batch, formula }) => {
			const of = formula === null ? "" : ` --formula ${shellWord(formula)}`;
			return `  ${typedCommand(`stock recall --batch ${shellWord(batch)}${of} --reason …`)}`;
		}),
	];
}

/** Quotes the text as one word for a shell. */
const shellWord = (text: string): string =>
	/^[\w.:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function addShow(group: Command): void {
	addCommand(
		group,
		"show <batch_number>",
		"the certificates of a batch, their lots and PDFs",
		"coa show C-2611",
	).action(async (batch: string, { json }: JsonOption) => {
		const list = await listItems("list_certificates", { batch_number: batch }, DEFAULT_LIMIT);
		print(list, json, () => list.items.map(describe).join("\n\n"));
	});
}

function describe(one: Shown): string {
	return factTable([
		["product", `${one.slug} (${one.product_name})`],
		["batch", one.batch_number],
		["status", one.retire_reason === null ? one.status : `${one.status}: ${one.retire_reason}`],
		["environment", one.environment],
		["vial size", one.vial_size],
		["tested on", one.tested_on],
		["laboratory", one.lab_name],
		["purity", one.purity_pct === null ? null : `${one.purity_pct} %`],
		["PDF", `${one.digest}, ${one.size} bytes`],
		["published", one.published_at],
		["changed", `${one.updated_at} by ${one.changed_by}`],
		...one.lots.map(({ fg_id: fgId, formula, brand_code: brand, recalled }): [string, string] => [
			"lot",
			`${fgId} ${formula} ${brand ?? "(shared)"}${recalled ? " RECALLED" : ""}`,
		]),
	]);
}

const certificateTable = (certificates: readonly Shown[]): string =>
	tableOf(certificates, {
		PRODUCT: "slug",
		BATCH: "batch_number",
		STATUS: "status",
		TESTED: "tested_on",
		LABORATORY: "lab_name",
		LOTS: ({ lots }) => lots.length,
	});

interface ListOptions extends JsonOption {
	readonly status?: (typeof STATUSES)[number];
	readonly product?: string;
	readonly search?: string;
	readonly limit?: number;
}

function addList(group: Command): void {
	addCommand(group, "list", "certificates by product and batch, drafts and retired ones too", "coa list --status draft")
		.option("--status <status>", `only these: ${STATUSES.join(", ")}`, choice(...STATUSES))
		.option("--product <slug>", "only of this product")
		.option("--search <text>", "only with this in the batch number, the product, its name or the laboratory")
		.option(...limitOption(DEFAULT_LIMIT))
		.action(async ({ status, product, search: q, limit = DEFAULT_LIMIT, json }: ListOptions) => {
			const list = await listItems("list_certificates", { status, product, q }, limit);
			print(list, json, () => listed(list, "No certificates.", "--status, --product or --search", certificateTable));
		});
}
