import { type ReactNode, useEffect, useRef, useState } from "react";
import type { CallError } from "../api/call.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { useScanner } from "../warehouse/scanner.ts";
import { words } from "../words/words.ts";

/** The fields of a parcel that show their own problems. */
export const PARCEL_FIELDS = ["carrier", "service", "tracking_number"];

interface LabelOfBox {
	readonly carrier_code: string | null;
	readonly service_code: string | null;
	readonly tracking_number: string | null;
}

/** Carrier and service of the last parcel: the next one mostly goes by the same. */
let last = { carrier: "", service: "" };

export const rememberParcel = ({ carrier_code, service_code }: Omit<LabelOfBox, "tracking_number">): void => {
	last = { carrier: carrier_code ?? "", service: service_code ?? "" };
};

interface ParcelFieldsProps {
	readonly box: LabelOfBox;
	/** A tracking number that was scanned before the form opened. */
	readonly tracking: string | undefined;
	/** Carrier and tracking number must be given. */
	readonly isRequired: boolean;
	readonly error: CallError | null;
}

/**
 * Carrier, service and tracking number of a parcel. A scan fills the tracking number, whichever field has the focus.
 * What the service takes for a mistake can be confirmed once it has said so.
 */
export function ParcelFields({ box, tracking, isRequired, error }: ParcelFieldsProps): ReactNode {
	const fields = useRef<HTMLDivElement>(null);
	useScanner((code) => {
		const field = fields.current?.querySelector<HTMLInputElement>("input[name=tracking_number]");
		if (field) field.value = code;
		field?.focus();
	}, "dialog");
	const isFirst = box.carrier_code === null;
	return (
		<div ref={fields}>
			<Field
				label={words.parcel.tracking}
				hint={words.parcel.trackingHint}
				name="tracking_number"
				defaultValue={tracking ?? box.tracking_number ?? ""}
				problem={problemAt(error, "tracking_number")}
				required={isRequired}
				autoComplete="off"
				data-scan=""
			/>
			<Field
				label={words.parcel.carrier}
				hint={words.parcel.carrierHint}
				name="carrier"
				defaultValue={isFirst ? last.carrier : (box.carrier_code ?? "")}
				problem={problemAt(error, "carrier")}
				required={isRequired}
				autoComplete="off"
				autoCapitalize="none"
				data-scan=""
			/>
			<Field
				label={words.parcel.service}
				name="service"
				defaultValue={isFirst ? last.service : (box.service_code ?? "")}
				problem={problemAt(error, "service")}
				autoComplete="off"
				autoCapitalize="none"
				data-scan=""
			/>
			<Meant error={error} />
		</div>
	);
}

/** What a person may confirm, once a refusal has asked for it. It stays there for the next try. */
function Meant({ error }: { error: CallError | null }): ReactNode {
	const asked = error?.message ?? "";
	const [isCarrier, setCarrier] = useState(false);
	const [isParcel, setParcel] = useState(false);
	useEffect(() => {
		if (asked.includes("other_carrier")) setCarrier(true);
		if (asked.includes("same_parcel")) setParcel(true);
	}, [asked]);
	return (
		<>
			{isCarrier ? (
				<label className="check">
					<input type="checkbox" name="other_carrier" /> {words.parcel.otherCarrier}
				</label>
			) : null}
			{isParcel ? (
				<label className="check">
					<input type="checkbox" name="same_parcel" /> {words.parcel.sameParcel}
				</label>
			) : null}
		</>
	);
}

/** The parcel of a form that was filled in. */
export function parcelOf(form: FormData) {
	const trimmed = (name: string): string | undefined => textOf(form, name)?.trim();
	const [carrier, service, tracking] = [trimmed("carrier"), trimmed("service"), trimmed("tracking_number")];
	return {
		...(carrier ? { carrier } : {}),
		...(service ? { service } : {}),
		...(tracking ? { tracking_number: tracking } : {}),
		...(form.has("other_carrier") ? { other_carrier: true } : {}),
		...(form.has("same_parcel") ? { same_parcel: true } : {}),
	};
}
