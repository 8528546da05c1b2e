import type { ReactNode } from "react";
import type { Asked, DataOf } from "../api/call.ts";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { useScanner } from "../warehouse/scanner.ts";
import { words } from "../words/words.ts";
import { PARCEL_FIELDS, ParcelFields, parcelOf, rememberParcel } from "./parcel-fields.tsx";
import { partsOf, ShipExtent } from "./ship-extent.tsx";

/** A box, as an order or the box itself shows it. */
export type WorkedBox = Omit<DataOf<"get_box">, "orders" | "ship_to"> & { readonly orders: readonly object[] };

/** What is to be done with a box. `tracking`: a number that was scanned for it. */
export interface BoxTask {
	readonly verb: "label" | "ship" | "void";
	readonly box: WorkedBox;
	readonly tracking?: string;
}

const isLabelled = ({ status, label_created_at }: WorkedBox): boolean =>
	status !== "shipped" && label_created_at !== null;

/** Whether the box can be shipped now. */
export const mayShip = ({ status }: WorkedBox): boolean => status === "awaiting_shipment" || status === "label_created";

/** What can be done with a box in its state. */
export function BoxButtons({ box, start }: { box: WorkedBox; start: (task: BoxTask) => void }): ReactNode {
	const isWaiting = mayShip(box);
	const mayVoid = box.status === "shipped" || (isLabelled(box) && (isWaiting || box.status === "on_hold"));
	if (!isWaiting && !mayVoid) return null;
	return (
		<div className="buttons">
			{isWaiting ? (
				<>
					<button type="button" className="main" onClick={() => start({ verb: "ship", box })}>
						{words.parcel.ship}
					</button>
					<button type="button" onClick={() => start({ verb: "label", box })}>
						{isLabelled(box) ? words.parcel.relabel : words.parcel.label}
					</button>
				</>
			) : null}
			{mayVoid ? (
				<button type="button" className="bad" onClick={() => start({ verb: "void", box })}>
					{isLabelled(box) ? words.parcel.voidLabel : words.parcel.void}
				</button>
			) : null}
		</div>
	);
}

interface BoxDialogProps {
	readonly task: BoxTask;
	readonly onClose: () => void;
	/** `said`: what was done, in words. */
	readonly onDone: (said: string) => void;
}

/** The dialog in which a box is labelled, shipped or voided. */
export function BoxDialog(props: BoxDialogProps): ReactNode {
	const dialogs = { label: LabelDialog, ship: ShipDialog, void: VoidDialog };
	const Chosen = dialogs[props.task.verb];
	return <Chosen {...props} />;
}

function LabelDialog({ task: { box, tracking }, onClose, onDone }: BoxDialogProps): ReactNode {
	const title = isLabelled(box) ? words.parcel.relabel : words.parcel.label;
	const asked = (form: FormData): Asked<"label_box"> => ({
		params: { id: box.shipment_id },
		body: { carrier: "", tracking_number: "", ...parcelOf(form) },
	});
	return (
		<WriteDialog
			id="label_box"
			title={title}
			fields={PARCEL_FIELDS}
			asked={asked}
			onClose={onClose}
			onDone={(labelled) => {
				rememberParcel(labelled);
				onDone(words.parcel.labelled(labelled.tracking_number ?? ""));
			}}
		>
			{(error) => (
				<>
					<p className="hint">{words.parcel.labelHint}</p>
					<ParcelFields box={box} tracking={tracking} error={error} isRequired />
				</>
			)}
		</WriteDialog>
	);
}

function ShipDialog({ task: { box, tracking }, onClose, onDone }: BoxDialogProps): ReactNode {
	const asked = (form: FormData): Asked<"ship_box"> => {
		const parts = partsOf(box, form);
		const more = { ...(parts === undefined ? {} : { parts }), ...reasonIn(form) };
		return { params: { id: box.shipment_id }, body: { ...parcelOf(form), ...more } };
	};
	return (
		<WriteDialog
			id="ship_box"
			title={words.parcel.ship}
			fields={PARCEL_FIELDS}
			asked={asked}
			onClose={onClose}
			onDone={(shipped) => {
				rememberParcel(shipped);
				const number = shipped.tracking_number;
				onDone(number === null ? words.parcel.shippedWithout : words.parcel.shipped(number));
			}}
		>
			{(error) => (
				<>
					<p className="hint">{words.parcel.shipHint}</p>
					<ParcelFields box={box} tracking={tracking} error={error} isRequired={false} />
					<ShipExtent box={box} />
					<ReasonField />
				</>
			)}
		</WriteDialog>
	);
}

function VoidDialog({ task: { box }, onClose, onDone }: BoxDialogProps): ReactNode {
	const isLabel = isLabelled(box);
	const asked = (form: FormData): Asked<"void_box"> => ({ params: { id: box.shipment_id }, body: reasonIn(form) });
	useScanner(() => undefined, "dialog"); // a scan undoes nothing
	return (
		<WriteDialog
			id="void_box"
			title={isLabel ? words.parcel.voidLabel : words.parcel.void}
			asked={asked}
			onClose={onClose}
			onDone={() => onDone(isLabel ? words.parcel.unlabelled : words.parcel.undone)}
		>
			{() => (
				<>
					<p>{isLabel ? words.parcel.voidLabelHint : words.parcel.voidHint}</p>
					<ReasonField />
				</>
			)}
		</WriteDialog>
	);
}
