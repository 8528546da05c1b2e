import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { isRowId } from "../../../service/src/partners/admin/page.ts";
import { callOperator, type DataOfCall, type ItemOf, pagesOf, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, DEFAULT_LIMIT, limitOption, uuid } from "../terminal/options.ts";
import { factTable, listed, plural, print, tableOf } from "../terminal/output.ts";
import { KEY_HINT } from "./keys.ts";
import { findNamedLot, type LotOptions } from "./lot-name.ts";
import { nameOfOrder } from "./order-name.ts";

/** The hint for a hold that does not exist. */
const HOLD_HINT = { not_found: `${quotedCommand("holds list")} shows them.` } as const;
const STATUSES = [...FIELDS.list_holds.status, "impaired"] as const;

interface ListOptions extends LotOptions, JsonOption {
	readonly key?: string;
	readonly status?: (typeof STATUSES)[number];
	readonly externalRef?: string;
	readonly sku?: string;
	readonly lot?: string;
	readonly limit?: number;
}

export function addHolds(program: Command): void {
	const group = program.command("holds").description("units set aside for partners");
	addCommand(group, "list", "holds, the newest first", "holds list --status active --key web")
		.option("--key <pk-or-name>", "only holds of this key")
		.option(
			"--status <status>",
			`only holds of this status: ${STATUSES.join(", ")} (active, and lacking units)`,
			choice(...STATUSES),
		)
		.option("--external-ref <ref>", "only holds reserved or consumed under this reference")
		.option("--sku <sku>", "only holds of this SKU")
		.option(
			"--lot <lot>",
			"only holds that draw on this lot (id or batch number), or did before their units were picked again elsewhere",
		)
		.option("--formula <code>", "formula of the lot, where several lots have the batch number")
		.option("--brand <code>", "brand of the lot, where several lots have the batch number")
		.option(...limitOption())
		.action(async ({ key, status, externalRef, sku, lot, limit = DEFAULT_LIMIT, json, ...options }: ListOptions) => {
			const list = await withOperator(async (call) => {
				const query = {
					...(status === "impaired" ? { impaired: true as const } : { status }),
					key,
					sku,
					external_ref: externalRef,
					// an id needs no lookup: a lot that does not exist has no holds
					lot: lot === undefined || isRowId(lot.toLowerCase()) ? lot : await findNamedLot(call, lot, options),
				};
				return await pagesOf(call, "list_holds", { query }, limit, KEY_HINT);
			});
			const narrow = "--key, --status, --external-ref, --sku or --lot";
			print(list, json, () => listed(list, "No holds.", narrow, holdTable));
		});
	addCommand(group, "show", "one hold, with the lots it draws from", "holds show 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d")
		.argument("<token>", "its reservation_token", uuid)
		.action(async (token: string, options: JsonOption) => {
			const [hold, order] = await withOperator(async (call) => {
				const shown = await call("get_hold", { params: { token } }, HOLD_HINT);
				const { order_id: id } = shown;
				return [shown, id === null || options.json ? null : await call("get_order", { params: { id } })];
			});
			print(hold, options.json, () => describe(hold, order === null ? hold.order_id : nameOfOrder(order)));
		});
	addCommand(
		group,
		"release",
		"end an active hold; its units are free immediately, and its partner finds it ended",
		"holds release 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --reason 'cancelled by phone'",
	)
		.argument("<token>", "its reservation_token", uuid)
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (token: string, { reason, json }: { reason?: string; json?: true }) => {
			const hold = await callOperator("release_hold", { params: { token }, body: { reason } }, HOLD_HINT);
			print(hold, json, () => `Hold ${hold.reservation_token} was released at ${hold.ended_at}.`);
		});
}

type ShownHold = DataOfCall<"get_hold">;
type ListedHold = ItemOf<"list_holds">;

const holdTable = (holds: readonly ListedHold[]): string =>
	tableOf(holds, {
		HOLD: "reservation_token",
		STATUS: statusOf,
		UNITS: "units",
		PARTNER: "partner",
		KEY: "key_name",
		REFERENCE: "external_ref",
		EXPIRES: "expires_at",
	});

const statusOf = ({ status, impaired }: Pick<ListedHold, "status" | "impaired">): string =>
	impaired ? `${status}, impaired` : status;

function describe({ parts, ...hold }: ShownHold, order: string | null): string {
	const facts: [string, string | number | null][] = [
		["hold", hold.reservation_token],
		["status", statusOf(hold)],
		["key", `${hold.key} (${hold.partner} / ${hold.key_name})`],
		["external_ref", hold.external_ref],
		["consumed under", hold.consume_ref],
		["order", order],
		["created", hold.created_at],
		["expires", hold.expires_at],
		["ended", hold.ended_at],
		["consumed units", hold.consumed_units],
		["returned units", hold.returned_units],
	];
	const lines = hold.lines.map(
		({ sku, brand_code, qty }, i) => `line ${i}: ${qty} of ${sku}${brand_code === null ? "" : ` for ${brand_code}`}`,
	);
	return [
		factTable(facts.filter(([, value]) => value !== null)),
		"",
		...lines,
		"",
		`${plural(parts.length, "part")}:`,
		tableOf(parts, {
			LINE: "line",
			FORMULA: "formula",
			BRAND: ({ brand_code: brand }) => brand ?? "(shared)",
			BATCH: "batch_number",
			LOT: "fg_id",
			UNITS: "units",
			STATE: "state",
		}),
	].join("\n");
}
