import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { callToEnd } from "../client/follow-run.ts";
import { listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { plural, print, tableOf } from "../terminal/output.ts";

/** Setting or removing a store may be a long run. */
const RECONCILING = { title: "Reconciling the store's orders again" };

/** Adds the commands that assign the label platform's stores to brands. */
export function addStores(group: Command): void {
	const stores = group.command("store").description("stores of the label platform, and whose stock each of them sells");
	addSet(stores);
	addCommand(stores, "list", "list the stores, and unknown stores that orders wait for", "demand store list").action(
		async (options: JsonOption) => {
			const list = await listItems("list_stores", {});
			print(list, options.json, () => storeTable(list));
		},
	);
	addCommand(
		stores,
		"remove <store>",
		"remove a store: its open orders become exceptions",
		"demand store remove 204817",
	).action(async (store: string, options: JsonOption) => {
		const gone = await callToEnd("remove_store", { params: { id: store } }, RECONCILING);
		print(gone, options.json, () =>
			gone.removed
				? `Store ${store} is removed. ${plural(gone.orders, "pending order")} reconciled again.`
				: `There is no store ${store}.`,
		);
	});
}

interface SetOptions extends JsonOption {
	readonly brand?: string;
	readonly shared?: boolean;
}

function addSet(stores: Command): void {
	addCommand(
		stores,
		"set <store>",
		"set whose stock a store sells; its pending orders are reconciled again",
		"demand store set 204817 --brand ACME --shared",
	)
		.option("--brand <code>", "brand code; the shared stock by default")
		.option("--shared", "use the shared stock too when the brand's own is not enough")
		.action(async (store: string, { brand, shared, json }: SetOptions) => {
			const asked = { params: { id: store }, body: { brand_code: brand ?? null, shared } };
			const set = await callToEnd("put_store", asked, RECONCILING);
			print(set, json, () => {
				const from =
					brand === undefined ? "the shared stock" : `${brand}${set.shared ? ", then the shared stock" : ""}`;
				return `Store ${store} sells from ${from}. ${plural(set.orders, "pending order")} reconciled again.`;
			});
		});
}

function storeTable({ items, unknown }: Awaited<ReturnType<typeof listItems<"list_stores">>>): string {
	const stores = tableOf(items, {
		STORE: "store",
		BRAND: ({ brand_code: brand }) => brand ?? "(shared)",
		"SHARED STOCK": ({ brand_code: brand, shared }) => (brand === null || shared ? "yes" : "no"),
	});
	const lines = [items.length === 0 ? "No stores." : stores];
	if (unknown.length > 0)
		lines.push(
			"",
			`Orders wait for ${unknown.join(", ")}: ${quotedCommand("demand store set <store> --brand <code>")}.`,
		);
	return lines.join("\n");
}
