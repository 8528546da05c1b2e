import type { Command } from "commander";
import { OperatorError } from "../lib/operator-error.ts";
import { addCommand } from "./command.ts";
import { granted, withStore } from "./context.ts";
import { choice, uuid, wholeNumber } from "./options.ts";
import { plural, print, table } from "./output.ts";
import { type HoldDetail, type HoldRow, type PartRow, selectHold, selectHoldParts, selectHolds } from "./sql.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;
const STATUSES = ["active", "expired", "released", "consumed", "placed", "reversed"] as const;

interface ListOptions {
	readonly key?: string;
	readonly status?: string;
	readonly limit?: number;
	readonly json?: true;
}

export function addHolds(program: Command): void {
	const group = program.command("holds").description("units that partners have set aside");
	addCommand(group, "list", "holds, the newest first", "holds list --status active --key web")
		.option("--key <pk-or-name>", "only of this key")
		.option("--status <status>", `only these: ${STATUSES.join(", ")}`, choice(...STATUSES))
		.option("--limit <n>", `at most so many (${DEFAULT_LIMIT})`, wholeNumber(1, MAX_LIMIT))
		.action(async ({ key, status, limit = DEFAULT_LIMIT, json }: ListOptions) => {
			const { selectKey } = await import("../keys/select-key.ts");
			const { rows } = await withStore(async ({ db }) => {
				const keyId = key === undefined ? null : granted(await selectKey(db, key)).keyId;
				return selectHolds(db, { keyId, status: status ?? null, limit: limit + 1 });
			});
			const items = rows.slice(0, limit);
			const has_more = rows.length > limit;
			print({ items, has_more }, json, () => holdTable(items, has_more));
		});
	addCommand(group, "show", "one hold, with the lots it draws from", "holds show 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d")
		.argument("<token>", "its reservation_token", uuid)
		.action(async (token: string, options: { json?: true }) => {
			const { hold, parts } = await withStore(async ({ db }) => {
				const [found, partRows] = await Promise.all([selectHold(db, token), selectHoldParts(db, token)]);
				return { hold: found.rows[0], parts: partRows.rows };
			});
			if (!hold) throw new OperatorError(`There is no hold ${token}: \`holdfast holds list\` shows them.`);
			print({ ...hold, parts }, options.json, () => describe(hold, parts));
		});
}

function holdTable(holds: readonly HoldRow[], hasMore: boolean): string {
	if (holds.length === 0) return "No holds.";
	const rows = holds.map((hold) => [
		...[hold.reservation_token, hold.status, hold.units, hold.partner, hold.key_name, hold.external_ref],
		hold.expires_at.toISOString(),
	]);
	const shown = table(["HOLD", "STATUS", "UNITS", "PARTNER", "KEY", "REFERENCE", "EXPIRES"], rows);
	return hasMore ? `${shown}\n… and more: narrow it with --key or --status, or raise --limit.` : shown;
}

function describe(hold: HoldDetail, parts: readonly PartRow[]): string {
	const facts: [string, string | number | null][] = [
		["hold", hold.reservation_token],
		["status", hold.status],
		["key", `${hold.key} (${hold.partner} / ${hold.key_name})`],
		["external_ref", hold.external_ref],
		["consumed under", hold.consume_ref],
		["created", hold.created_at.toISOString()],
		["expires", hold.expires_at.toISOString()],
		["ended", hold.ended_at?.toISOString() ?? null],
		["consumed units", hold.consumed_units],
		["returned units", hold.returned_units],
	];
	const lines = hold.lines.map(
		({ sku, brand_code, qty }, i) => `line ${i}: ${qty} of ${sku}${brand_code === null ? "" : ` for ${brand_code}`}`,
	);
	const rows = parts.map((part) => [
		part.line,
		part.formula,
		part.brand_code ?? "(shared)",
		part.batch_number,
		part.fg_id,
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
