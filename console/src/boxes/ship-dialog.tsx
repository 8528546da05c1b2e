import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Asked, CallError } from "../api/call.ts";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { nameOfOrder } from "../warehouse/order-name.ts";
import { type PackedOrder, useOrders } from "../warehouse/orders-of.ts";
import { pickOne, type ToPick } from "../warehouse/picking.ts";
import { isToRepack, Repack } from "../warehouse/repack.tsx";
import { words } from "../words/words.ts";
import type { BoxDialogProps } from "./box-dialog.tsx";
import { rememberParcel } from "./carrier.ts";
import { checkNumber, PARCEL_FIELDS, parcelInWords, parcelOf } from "./parcel.ts";
import { ParcelFields } from "./parcel-fields.tsx";
import { partsOf, ShipExtent } from "./ship-extent.tsx";
import { WhatIsIn } from "./what-is-in.tsx";

const FIELDS = [...PARCEL_FIELDS, "parts"];

/** The dialog in which a box is shipped, whole or in part; its orders that are not marked as picked are named. */
export function ShipDialog({ task: { box, tracking }, onClose, onDone }: BoxDialogProps): ReactNode {
	const orders = useOrders(box.orders.map(({ order_id }) => order_id));
	const unpicked = unpickedOf(orders);
	const client = useQueryClient();
	const label = box.label_created_at === null ? null : box.tracking_number;
	const asked = (form: FormData): Asked<"ship_box"> => {
		const parts = partsOf(box, form);
		const more = { ...(parts === undefined ? {} : { parts }), ...reasonIn(form) };
		return { params: { id: box.shipment_id }, body: { ...parcelOf(form), ...more } };
	};
	const check = async (form: FormData): Promise<CallError | null> => {
		if (partsOf(box, form)?.length === 0) return new CallError("invalid_input", `/parts: ${words.parcel.least}`, 0);
		const wrong = await checkNumber(form, box.tracking_number);
		if (wrong !== null || !form.has("pick_too")) return wrong;
		return await pickAll(unpicked).finally(() => void client.invalidateQueries());
	};
	return (
		<WriteDialog
			id="ship_box"
			title={words.parcel.ship}
			fields={FIELDS}
			asked={asked}
			check={check}
			inWords={parcelInWords}
			onClose={onClose}
			onDone={(shipped) => {
				rememberParcel(shipped);
				const number = shipped.tracking_number;
				onDone(number === null ? words.parcel.shippedWithout : words.parcel.shipped(number));
			}}
		>
			{(error, isSending) => (
				<>
					<WhatIsIn box={box} />
					<p className="hint">{words.parcel.shipHint}</p>
					<Repack orders={orders} mayPick />
					<PickToo orders={unpicked} />
					<ParcelFields {...{ box, tracking, label, error, isSending }} isRequired={false} />
					<ShipExtent box={box} error={error} />
					<ReasonField />
				</>
			)}
		</WriteDialog>
	);
}

/** Orders of a box that nobody marked as picked. What must be picked again cannot be marked here. */
const unpickedOf = (orders: readonly PackedOrder[]): readonly ToPick[] =>
	orders
		.filter((order) => order.status === "placed" && !isToRepack(order))
		.map((order) => ({ id: order.order_id, name: nameOfOrder(order) }));

const PickToo = ({ orders }: { orders: readonly ToPick[] }): ReactNode =>
	orders.length === 0 ? null : (
		<>
			{orders.map(({ id, name }) => (
				<p key={id} className="wrong">
					{words.parcel.notPicked(name)}
				</p>
			))}
			<label className="check">
				<input type="checkbox" name="pick_too" /> {words.parcel.pickToo}
			</label>
		</>
	);

/** Marks orders as picked until one cannot be; returns the reason, or null. */
async function pickAll(orders: readonly ToPick[]): Promise<CallError | null> {
	for (const order of orders) {
		const { outcome, why } = await pickOne(order);
		if (outcome !== "picked") return new CallError(outcome, words.pack.notPickedOf(order.name, why ?? ""), 0);
	}
	return null;
}
