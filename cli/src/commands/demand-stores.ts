import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { StoreList } from "../../../service/src/inventory/demand/stores-sql.ts";
import { granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { plural, print, snake, table } from "../terminal/output.ts";

const ORIGIN = { actor: "operator:cli", requestId: null } as const;

/** Adds the commands that assign the label platform's stores to brands. */
export function addStores(group: Command): void {
	const stores = group.command("store").description("stores of the label platform, and whose stock each of them sells");
	addSet(stores);
	addCommand(stores, "list", "list the stores, and unknown stores that orders wait for", "demand store list").action(
		async (options: JsonOption) => {
			const { listStores } = await import("../../../service/src/inventory/demand/stores-sql.ts");
			const list = await withStore(({ db }) => listStores(db));
			print(snake(list), options.json, () => storeTable(list));
		},
	);
	addCommand(
		stores,
		"remove <store>",
		"remove a store: its open orders become exceptions",
		"demand store remove 204817",
	).action(async (store: string, options: JsonOption) => {
		const { removeStore } = await import("../../../service/src/inventory/demand/set-store.ts");
		const gone = await withStore(async ({ db, executeIn }) =>
			granted(await removeStore(db, { drawIn: await executeIn() }, store, ORIGIN)),
		);
		print(snake(gone), options.json, () =>
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
		.action(async (store: string, { brand, shared = false, json }: SetOptions) => {
			const { setStore } = await import("../../../service/src/inventory/demand/set-store.ts");
			const entry = { store, brandCode: brand ?? null, shared };
			const set = await withStore(async ({ db, executeIn }) =>
				granted(await setStore(db, { drawIn: await executeIn() }, entry, ORIGIN)),
			);
			print(snake(set), json, () => {
				const from = brand === undefined ? "the shared stock" : `${brand}${shared ? ", then the shared stock" : ""}`;
				return `Store ${store} sells from ${from}. ${plural(set.orders, "pending order")} reconciled again.`;
			});
		});
}

function storeTable({ items, unknown }: StoreList): string {
	const rows = items.map(({ store, brandCode, shared }) => [
		store,
		brandCode ?? "(shared)",
		brandCode === null || shared ? "yes" : "no",
	]);
	const lines = rows.length === 0 ? ["No stores."] : [table(["STORE", "BRAND", "SHARED STOCK"], rows)];
	if (unknown.length > 0)
		lines.push(
			"",
			`Orders wait for ${unknown.join(", ")}: ${quotedCommand("demand store set <store> --brand <code>")}.`,
		);
	return lines.join("\n");
}
