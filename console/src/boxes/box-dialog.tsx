import type { ReactNode } from "react";
import type { Asked, DataOf } from "../api/call.ts";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { useScanner } from "../warehouse/scanner.ts";
import { words } from "../words/words.ts";
import { rememberParcel } from "./carrier.ts";
import { checkNumber, PARCEL_FIELDS, parcelInWords, parcelOf } from "./parcel.ts";
import { ParcelFields } from "./parcel-fields.tsx";
import { ShipDialog } from "./ship-dialog.tsx";
import { WhatIsIn } from "./what-is-in.tsx";

type WorkedOrder = DataOf<"get_order">["shipments"][number]["orders"][number];

/** A box, as an order or the box itself shows it. */
export type WorkedBox = Omit<DataOf<"get_box">, "orders" | "ship_to"> & { readonly orders: readonly WorkedOrder[] };

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
export function BoxButtons(props: {
	box: WorkedBox;
	start: (task: BoxTask) => void;
	/** The box has the wrong units, so it cannot be shipped yet. */
	isToRepack: boolean;
}): ReactNode {
	const { box, start, isToRepack } = props;
	const isWaiting = mayShip(box);
	const mayVoid = box.status === "shipped" || (isLabelled(box) && (isWaiting || box.status === "on_hold"));
	if (!isWaiting && !mayVoid) return null;
	return (
		<div className="buttons">
			{isWaiting ? (
				<>
					{isToRepack ? null : (
						<button type="button" className="main" onClick={() => start({ verb: "ship", box })}>
							{words.parcel.ship}
						</button>
					)}
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

export interface BoxDialogProps {
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
			check={(form) => checkNumber(form, box.tracking_number)}
			inWords={parcelInWords}
			onClose={onClose}
			onDone={(labelled) => {
				rememberParcel(labelled);
				onDone(words.parcel.labelled(labelled.tracking_number ?? ""));
			}}
		>
			{(error, isSending) => (
				<>
					<WhatIsIn box={box} />
					<p className="hint">{words.parcel.labelHint}</p>
					<ParcelFields {...{ box, tracking, error, isSending }} label={null} isRequired />
				</>
			)}
		</WriteDialog>
	);
}

function VoidDialog({ task: { box }, onClose, onDone }: BoxDialogProps): ReactNode {
	const isLabel = isLabelled(box);
	const asked = (form: FormData): Asked<"void_box"> => ({ params: { id: box.shipment_id }, body: reasonIn(form) });
	useScanner(() => undefined, "dialog"); // scans are ignored: none may confirm that a shipment is voided
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
					<WhatIsIn box={box} />
					<p className="tight">
						{words.parcel.tracking}: {box.tracking_number ?? words.none}
					</p>
					<p>{isLabel ? words.parcel.voidLabelHint : words.parcel.voidHint}</p>
					<p className="hint">{words.parcel.voidTold}</p>
					<ReasonField />
				</>
			)}
		</WriteDialog>
	);
}
