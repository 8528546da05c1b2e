import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type HoldStatus, stateUnder } from "../../../service/src/inventory/holds/hold.ts";
import type { HoldFilter, ListedHold } from "../../../service/src/inventory/holds/list-holds-sql.ts";
import type { HoldWithParts } from "../../../service/src/inventory/holds/show-hold.ts";
import { granted, KEY_HINT, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, DEFAULT_LIMIT, limitOption, uuid } from "../terminal/options.ts";
import { plural, print, snake, table } from "../terminal/output.ts";
import { type LotOptions, lotNamed } from "./lot-name.ts";

const STATUSES = [...(Object.keys(stateUnder) as HoldStatus[]), "impaired"] as const;

interface ListOptions extends LotOptions, JsonOption {
	readonly key?: string;
	readonly status?: NonNullable<HoldFilter["status"]>;
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
			`only holds of this status: ${STATUSES.join(", ")} (active, and no longer whole)`,
			choice(...STATUSES),
		)
		.option("--external-ref <ref>", "only holds reserved or consumed under this reference")
		.option("--sku <sku>", "only holds of this SKU")
		.option(
			"--lot <lot>",
			"only holds that draw on this lot (fg_id or batch number), or did before their units were picked again elsewhere",
		)
		.option("--formula <code>", "formula of the lot, where several lots have the batch number")
		.option("--brand <code>", "brand of the lot, likewise")
		.option(...limitOption())
		.action(async ({ key, limit = DEFAULT_LIMIT, json, ...options }: ListOptions) => {
			const { selectKey } = await import("../../../service/src/partners/keys/select-key.ts");
			const { listHolds } = await import("../../../service/src/inventory/holds/list-holds-sql.ts");
			const list = await withStore(async ({ db }) => {
				const keyId = key === undefined ? null : granted(await selectKey(db, key), KEY_HINT).keyId;
				const { status = null, externalRef = null, sku = null, lot } = options;
				const fgId = lot === undefined ? null : await lotNamed(db, lot, options);
				return await listHolds(db, { keyId, status, externalRef, sku, fgId }, limit);
			});
			print(snake(list), json, () => holdTable(list.items, list.hasMore));
		});
	addCommand(group, "show", "one hold, with the lots it draws from", "holds show 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d")
		.argument("<token>", "its reservation_token", uuid)
		.action(async (token: string, options: JsonOption) => {
			const { showHold } = await import("../../../service/src/inventory/holds/show-hold.ts");
			const hold = await withStore(async ({ db }) =>
				granted(await showHold(db, token), { not_found: `${quotedCommand("holds list")} shows them.` }),
			);
			print(snake(hold), options.json, () => describe(hold));
		});
	addCommand(
		group,
		"release",
		"end an active hold; its units are free at once, and its partner finds it ended",
		"holds release 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --reason 'cancelled by phone'",
	)
		.argument("<token>", "its reservation_token", uuid)
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (token: string, { reason, json }: { reason?: string; json?: true }) => {
			const { callOperator } = await import("../client/operator-client.ts");
			const hold = await callOperator("release_hold", { params: { token }, body: { reason } });
			print(hold, json, () => `Hold ${hold.reservation_token} is released since ${hold.ended_at}.`);
		});
}

function holdTable(holds: readonly ListedHold[], hasMore: boolean): string {
	if (holds.length === 0) return "No holds.";
	const rows = holds.map((hold) => [
		hold.reservationToken,
		statusOf(hold),
		hold.units,
		hold.partner,
		hold.keyName,
		hold.externalRef,
		hold.expiresAt.toISOString(),
	]);
	const shown = table(["HOLD", "STATUS", "UNITS", "PARTNER", "KEY", "REFERENCE", "EXPIRES"], rows);
	return hasMore
		? `${shown}\n… and more: narrow it with --key, --status, --external-ref, --sku or --lot, or raise --limit.`
		: shown;
}

const statusOf = ({ status, impaired }: ListedHold): string => (impaired ? `${status}, impaired` : status);

function describe({ parts, ...hold }: HoldWithParts): string {
	const facts: [string, string | number | null][] = [
		["hold", hold.reservationToken],
		["status", statusOf(hold)],
		["key", `${hold.key} (${hold.partner} / ${hold.keyName})`],
		["external_ref", hold.externalRef],
		["consumed under", hold.consumeRef],
		["order", hold.orderId],
		["created", hold.createdAt.toISOString()],
		["expires", hold.expiresAt.toISOString()],
		["ended", hold.endedAt?.toISOString() ?? null],
		["consumed units", hold.consumedUnits],
		["returned units", hold.returnedUnits],
	];
	const lines = hold.lines.map(
		({ sku, brand_code, qty }, i) => `line ${i}: ${qty} of ${sku}${brand_code === null ? "" : ` for ${brand_code}`}`,
	);
	const rows = parts.map((part) => [
		part.line,
		part.formula,
		part.brandCode ?? "(shared)",
		part.batchNumber,
		part.fgId,
		part.units,
		part.state,
	]);
	return [
		table(
			["", ""],
			facts.filter(([, value]) => value !== null),
		).trimStart(),
		"",
		...lines,
		"",
		`${plural(parts.length, "part")}:`,
		table(["LINE", "FORMULA", "BRAND", "BATCH", "LOT", "UNITS", "STATE"], rows),
	].join("\n");
}
