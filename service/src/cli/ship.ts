import type { Command } from "commander";
import { quotedCommand } from "../ground/lib/typed-command.ts";
import type { PickedOrder } from "../inventory/orders/change-named.ts";
import type { OperatorBoxReply } from "../inventory/orders/operator-reply.ts";
import type { BoxNow } from "../inventory/orders/show-order.ts";
import type { TrackingReport } from "../upkeep/import/import-tracking.ts";
import { addCommand, type JsonOption } from "./command.ts";
import { type Context, EXIT, granted, KEY_HINT, LINK_VARIABLES, linksOf, withStore } from "./context.ts";
import { kitsBySku, uuid } from "./options.ts";
import { ORDER_ARGUMENT, ORDER_HINT, ORIGIN, withOperatorDeps } from "./orders.ts";
import { plural, print, snake, table } from "./output.ts";
import { addParcelOptions, checkTyped, meantBy, type ParcelOptions, trackingUrlsOf } from "./parcel-options.ts";
import { addPack, addPickList } from "./ship-papers.ts";
import { addQueue } from "./ship-queue.ts";

const EXAMPLE_ID = "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d";

export function addShip(program: Command): void {
	const group = program.command("ship").description("the queue of boxes: pick, pack, label, ship, void");
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
			const { pickNamedOrders } = await import("../inventory/orders/change-named.ts");
			const items = await withStore((context) =>
				withOperatorDeps(context, async (deps) => granted(await pickNamedOrders(deps, names), ORDER_HINT)),
			);
			print({ items: snake(items) }, options.json, () => items.map(describePicked).join("\n"));
			if (items.some(({ picked }) => !picked)) process.exitCode = EXIT.refused;
		});
}

const describePicked = ({ orderId, picked, status, why }: PickedOrder): string =>
	picked ? `Order ${orderId} is picked.` : `Order ${orderId} was not picked: ${why ?? `it is ${status}.`}`;

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
			const { changeNamedBox } = await import("../inventory/orders/change-named.ts");
			const codes = { carrierCode: carrier, serviceCode: service ?? null };
			const label = { kind: "createLabel", ...codes, trackingNumber: tracking } as const;
			const box = await withStore(async (context) => {
				await checkTyped(context, name, { carrier, tracking, ...more });
				return await withOperatorDeps(context, async (deps) =>
					boxReply(context, granted(await changeNamedBox(deps, name, label), ORDER_HINT)),
				);
			});
			print(
				box,
				json,
				() => `Box ${box.shipment_id} has its label, ${box.tracking_number}. It has ${contentsOf(box)}.`,
			);
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
			"ship only this number of kits of this SKU, and of others that are given so; the rest waits",
			kitsBySku,
		);
	addParcelOptions(command).action(
		async (name: string, { carrier, tracking, service, item, json, ...more }: ShipOptions) => {
			const { changeNamedBox } = await import("../inventory/orders/change-named.ts");
			const parcel = { carrierCode: carrier ?? null, serviceCode: service ?? null, trackingNumber: tracking ?? null };
			const shipment = { kind: "ship", origin: ORIGIN, items: item ?? null, ...parcel } as const;
			const typed = {
				...more,
				...(carrier === undefined ? {} : { carrier }),
				...(tracking === undefined ? {} : { tracking }),
			};
			const box = await withStore(async (context) => {
				await checkTyped(context, name, typed);
				return await withOperatorDeps(context, async (deps) =>
					boxReply(context, granted(await changeNamedBox(deps, name, shipment), ORDER_HINT)),
				);
			});
			print(box, json, () =>
				[`Shipment ${box.shipment_id} has left with ${contentsOf(box)}.`, ...statusesOf(box)].join("\n"),
			);
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
		.argument("<shipment_id>", "the shipment", uuid)
		.action(async (shipmentId: string, options: JsonOption) => {
			const { voidShipmentById } = await import("../inventory/orders/change-named.ts");
			const hints = { not_found: `${quotedCommand("orders show <order_id>")} lists the shipments of an order.` };
			const box = await withStore((context) =>
				withOperatorDeps(context, async (deps) =>
					boxReply(context, granted(await voidShipmentById(deps, shipmentId, ORIGIN), hints)),
				),
			);
			print(box, options.json, () => {
				const what = box.status === "voided" ? "is voided" : `has no label any more, and is ${box.status}`;
				return [`Shipment ${box.shipment_id} ${what}.`, ...statusesOf(box)].join("\n");
			});
		});
}

async function boxReply({ agreed }: Context, box: BoxNow): Promise<OperatorBoxReply> {
	const { operatorBoxReply } = await import("../inventory/orders/operator-reply.ts");
	return operatorBoxReply(box, await linksOf(await agreed(...LINK_VARIABLES)));
}

const contentsOf = ({ items }: OperatorBoxReply): string =>
	items.map(({ sku, qty }) => `${qty} of ${sku}`).join(", ") || "nothing";

const statusesOf = ({ orders }: OperatorBoxReply): string[] =>
	orders.map(({ order_id, status }) => `Order ${order_id} is ${status}.`);

export function addTrackingImport(group: Command): void {
	const command = addCommand(
		group,
		"import <file>",
		"ship whole boxes from a CSV file of tracking numbers: order,carrier,service,tracking; a second run changes nothing",
		"ship import tracking.csv",
	);
	addParcelOptions(command).action(async (file: string, options: JsonOption & ParcelOptions) => {
		const { importTracking } = await import("../upkeep/import/import-tracking.ts");
		const { createProgress } = await import("./progress.ts");
		const report = await withStore((context) => {
			context.onInterrupt(() => "boxes that were shipped stay shipped; the same file again ships the rest.");
			return withOperatorDeps(context, async (deps) => {
				const [urls, progress] = [await trackingUrlsOf(context), await createProgress()];
				return await importTracking(deps, file, ORIGIN, { urls, meant: meantBy(options), progress });
			});
		});
		print(report, options.json, () => describe(report));
		if (report.refused > 0) process.exitCode = EXIT.refused;
	});
}

function describe({ shipped, unchanged, refused, items }: TrackingReport): string {
	const sum = `${plural(shipped, "box", "boxes")} shipped, ${unchanged} unchanged, ${refused} refused.`;
	if (items.length === 0) return sum;
	const rows = items.map(({ line, order, outcome, shipment_id, message }) => [
		line,
		order,
		outcome,
		shipment_id ?? message,
	]);
	return `${table(["LINE", "ORDER", "", "BOX"], rows)}\n${sum}`;
}

function addReport(group: Command): void {
	addCommand(
		group,
		"report",
		"record that the units which a partner consumed under a reference were shipped; they can no longer be given back",
		"ship report --key web --external-ref SALE-1041",
	)
		.requiredOption("--key <pk-or-name>", "the key that consumed it")
		.requiredOption("--external-ref <reference>", "the reference of the consume")
		.action(async ({ key, externalRef, json }: { key: string; externalRef: string; json?: true }) => {
			const { selectKey } = await import("../partners/keys/select-key.ts");
			const shipped = await withStore(async ({ db, withEngine }) => {
				const { keyId } = granted(await selectKey(db, key), KEY_HINT);
				const origin = { actor: "operator:cli", requestId: null };
				return await withEngine(async (engine) =>
					granted(await engine.execute({ kind: "shipConsumed", origin, keyId, externalRef })),
				);
			});
			const { token: reservationToken, shippedUnits, idempotent } = shipped;
			print(
				snake({ reservationToken, externalRef, shippedUnits, idempotent }),
				json,
				() =>
					`${plural(shippedUnits, "unit")} shipped under ${externalRef}${idempotent ? ", as reported before" : ""}.`,
			);
		});
}
