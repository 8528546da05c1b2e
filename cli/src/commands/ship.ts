import { basename } from "node:path";
import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { Problem } from "../../../service/src/upkeep/import/entries.ts";
import { ImportRefused } from "../../../service/src/upkeep/import/refused.ts";
import { callToEnd } from "../client/follow-run.ts";
import { type CallOperator, callOperator, type DataOfCall, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { CommandRefused, EXIT } from "../terminal/failure.ts";
import { kitsBySku } from "../terminal/options.ts";
import { plural, print, tableOf } from "../terminal/output.ts";
import { KEY_HINT } from "./keys.ts";
import { nameOfOrder } from "./order-name.ts";
import { EXAMPLE_ID, ORDER_ARGUMENT, ORDER_HINT } from "./orders.ts";
import { addParcelOptions, meantInBody, type ParcelOptions } from "./parcel-options.ts";
import { addPack, addPickList } from "./ship-papers.ts";
import { addQueue } from "./ship-queue.ts";

export function addShip(program: Command): void {
	const group = program.command("ship").description("the boxes that wait to be shipped: pick, pack, label, ship, void");
	addQueue(group);
	addPickList(group);
	addPick(group);
	addPack(group);
	addLabel(group);
	addShipment(group);
	addVoid(group);
	addTrackingImport(group);
	addReport(group);
}

function addPick(group: Command): void {
	addCommand(
		group,
		"pick",
		"record that the units of orders were taken from their lots; partners cannot cancel these orders any more",
		`ship pick ${EXAMPLE_ID}`,
	)
		.argument("<order_id...>", "the orders: ids, or Idempotency-Keys or external ids that no other order has")
		.action(async (names: string[], options: JsonOption) => {
			const items = await withOperator((call) => pickEach(call, names));
			print({ items }, options.json, () => items.map(describePicked).join("\n"));
			if (items.some(({ picked }) => !picked)) process.exitCode = EXIT.refused;
		});
}

type PickedOrder = DataOfCall<"pick_order">;

/** Picks orders. An unknown name refuses all; an order that cannot be picked does not affect the others. */
async function pickEach(call: CallOperator, names: readonly string[]): Promise<PickedOrder[]> {
	const orders = new Map<string, DataOfCall<"get_order">>();
	for (const id of names) {
		const order = await call("get_order", { params: { id } }, ORDER_HINT);
		orders.set(order.order_id, order);
	}
	const items: PickedOrder[] = [];
	for (const { order_id, ref, external_order_id, status } of orders.values()) {
		try {
			items.push(await call("pick_order", { params: { id: order_id }, body: {} }));
		} catch (error) {
			if (!(error instanceof CommandRefused) || error.code !== "not_possible_now") throw error;
			items.push({ order_id, ref, external_order_id, status, picked: false, why: error.message });
		}
	}
	return items;
}

const describePicked = ({ picked, status, why, ...order }: PickedOrder): string =>
	picked
		? `Order ${nameOfOrder(order)} is picked.`
		: `Order ${nameOfOrder(order)} was not picked: ${why ?? `it is ${status}.`}`;

interface LabelOptions extends ParcelOptions, JsonOption {
	readonly carrier: string;
	readonly tracking: string;
	readonly service?: string;
}

function addLabel(group: Command): void {
	const command = addCommand(
		group,
		"label",
		"record the label of the box in which an order waits; the box does not leave yet",
		`ship label ${EXAMPLE_ID} --carrier ups --tracking 1Z999AA10123456784`,
	)
		.argument(...ORDER_ARGUMENT)
		.requiredOption("--carrier <code>", "the carrier's code")
		.requiredOption("--tracking <number>", "the tracking number")
		.option("--service <code>", "the carrier's service");
	addParcelOptions(command).action(
		async (name: string, { carrier, tracking, service, json, ...more }: LabelOptions) => {
			const body = { carrier, service, tracking_number: tracking, ...meantInBody(more) };
			const box = await callOperator("label_box", { params: { id: name }, body }, ORDER_HINT);
			print(box, json, () => `${nameOfBox(box)} has its label, ${box.tracking_number}. It has ${contentsOf(box)}.`);
		},
	);
}

interface ShipOptions extends ParcelOptions, JsonOption {
	readonly carrier?: string;
	readonly tracking?: string;
	readonly service?: string;
	readonly item?: readonly { readonly sku: string; readonly qty: number }[];
}

function addShipment(group: Command): void {
	const command = addCommand(
		group,
		"ship",
		"record that the box in which an order waits has left, whole or in part; partners are notified",
		`ship ship ${EXAMPLE_ID} --carrier ups --tracking 1Z999AA10123456784 --item ROSE-10=2`,
	)
		.argument(...ORDER_ARGUMENT)
		.option("--carrier <code>", "the carrier's code; that of the label by default")
		.option("--tracking <number>", "the tracking number; that of the label by default")
		.option("--service <code>", "the carrier's service; that of the label by default")
		.option(
			"--item <sku=qty...>",
			"ship only this number of kits of this SKU (can be repeated for others); the rest waits",
			kitsBySku,
		);
	addParcelOptions(command).action(
		async (name: string, { carrier, tracking, service, item, json, ...more }: ShipOptions) => {
			const parcel = { carrier, service, tracking_number: tracking, ...meantInBody(more) };
			const box = await callOperator(
				"ship_box",
				{ params: { id: name }, body: { ...parcel, parts: item } },
				ORDER_HINT,
			);
			print(box, json, () => [`${nameOfBox(box)} has left with ${contentsOf(box)}.`, ...statusesOf(box)].join("\n"));
		},
	);
}

function addVoid(group: Command): void {
	addCommand(
		group,
		"void",
		"undo a shipment, or a label, of a box that never left; its contents wait again",
		`ship void ${EXAMPLE_ID}`,
	)
		.argument(
			"<order_or_box>",
			"the order, by any of its names, if one box of it has left or has a label; or the box, by its id",
		)
		.action(async (name: string, options: JsonOption) => {
			const hints = {
				not_found: `${quotedCommand("orders show <order_id>")} lists the shipments of an order.`,
				...ORDER_HINT,
			};
			const box = await callOperator("void_box", { params: { id: name }, body: {} }, hints);
			print(box, options.json, () => {
				const what =
					box.status === "voided"
						? "has not left: its shipment is voided"
						: `has no label any more, and is ${box.status}`;
				return [`${nameOfBox(box)} ${what}.`, ...statusesOf(box)].join("\n");
			});
		});
}

type Box = DataOfCall<"ship_box">;

/** What people call a box. `--json` has its id. */
const nameOfBox = ({ orders }: Box): string =>
	`The box of ${orders.length === 1 ? "order" : "orders"} ${orders.map(nameOfOrder).join(", ")}`;

const contentsOf = ({ items }: Box): string => items.map(({ sku, qty }) => `${qty} of ${sku}`).join(", ") || "nothing";

const statusesOf = ({ orders }: Box): string[] =>
	orders.map((order) => `Order ${nameOfOrder(order)} is ${order.status}.`);

function addTrackingImport(group: Command): void {
	const command = addCommand(
		group,
		"import <file>",
		"ship whole boxes from a CSV file of tracking numbers: order,carrier,service,tracking; a second run changes nothing",
		"ship import tracking.csv",
	);
	addParcelOptions(command).action(async (file: string, { json, ...options }: JsonOption & ParcelOptions) => {
		const asked = { body: meantInBody(options), files: [await readInput(file)] };
		const report = await callToEnd("import_tracking", asked, { title: "Boxes" });
		print(report, json, () => describe(report));
		if (report.refused > 0) process.exitCode = EXIT.refused;
	});
}

/** A file of the operator's, to be sent. */
async function readInput(file: string) {
	const { contentOf } = await import("../../../service/src/upkeep/import/read-world.ts");
	const problems: Problem[] = [];
	const content = await contentOf(file, problems);
	if (content === null) throw new ImportRefused(problems);
	return { name: basename(file), bytes: new TextEncoder().encode(content) };
}

type TrackingReport = Exclude<DataOfCall<"import_tracking">, { readonly run_id: string }>;

function describe({ shipped, unchanged, refused, items }: TrackingReport): string {
	const sum = `${plural(shipped, "box", "boxes")} shipped, ${unchanged} unchanged, ${refused} refused.`;
	if (items.length === 0) return sum;
	const boxOf = (one: (typeof items)[number]) => one.shipment_id ?? one.message;
	return `${tableOf(items, { LINE: "line", ORDER: "order", "": "outcome", BOX: boxOf })}\n${sum}`;
}

function addReport(group: Command): void {
	addCommand(
		group,
		"report",
		"record that the units which a partner consumed under a reference were shipped; they can no longer be given back",
		"ship report --key web --external-ref SALE-1041",
	)
		.requiredOption("--key <pk-or-name>", "the key that consumed the units")
		.requiredOption("--external-ref <reference>", "the reference of the consume")
		.action(async ({ key, externalRef, json }: { key: string; externalRef: string; json?: true }) => {
			const shipped = await withOperator(async (call) => {
				const { pk } = await call("get_key", { params: { pk: key } }, KEY_HINT);
				return await call("ship_consume", { body: { key: pk, external_ref: externalRef } });
			});
			const { shipped_units: units, idempotent } = shipped;
			print(
				shipped,
				json,
				() => `${plural(units, "unit")} shipped under ${externalRef}${idempotent ? ", as reported before" : ""}.`,
			);
		});
}
