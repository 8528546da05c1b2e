import { type ReactNode, useEffect, useRef, useState } from "react";
import type { CallError } from "../api/call.ts";
import { Field, problemAt } from "../parts/form.tsx";
import { Alarm } from "../warehouse/alarm.tsx";
import { words } from "../words/words.ts";
import { MistypedParcel } from "./parcel.ts";
import { type LabelOfBox, useParcel } from "./use-parcel.ts";

interface ParcelFieldsProps {
	readonly box: LabelOfBox;
	/** A tracking number that was scanned before the form opened. */
	readonly tracking: string | undefined;
	/**
	 * Tracking number of the box's recorded label, with which a scan is compared; null: no label, or it is being
	 * changed.
	 */
	readonly label: string | null;
	/** Carrier and tracking number must be given. */
	readonly isRequired: boolean;
	readonly error: CallError | null;
	/** The form was sent and has not been answered yet. */
	readonly isSending: boolean;
}

/**
 * Carrier, service and tracking number of a parcel, which a scan fills in. What the service refuses as a probable
 * mistake can then be confirmed.
 */
export function ParcelFields({ box, tracking, label, isRequired, error, isSending }: ParcelFieldsProps): ReactNode {
	const fields = useRef<HTMLDivElement>(null);
	const { first, number, carrier, wrong, onNumber, onCarrier } = useParcel(fields, box, tracking, isSending);
	const isOther = label !== null && number.trim() !== "" && number.trim().toLowerCase() !== label.toLowerCase();
	const { parcel } = words;
	const named = (name: string): string => (isRequired ? name : parcel.optional(name));
	return (
		<div ref={fields}>
			<Alarm text={wrong} />
			<Field
				label={named(parcel.tracking)}
				hint={parcel.trackingHint}
				name="tracking_number"
				defaultValue={first.number}
				onChange={({ target }) => onNumber(target.value)}
				problem={isOther ? parcel.otherNumber(label) : problemAt(error, "tracking_number")}
				required={isRequired}
				autoComplete="off"
				data-scan=""
			/>
			{isOther ? (
				<label className="check">
					<input type="checkbox" required /> {parcel.shipUnderNew}
				</label>
			) : null}
			<Field
				label={named(parcel.carrier)}
				hint={carrier.trim() === "" ? `${parcel.carrierHint} ${parcel.noCarrier}` : parcel.carrierHint}
				name="carrier"
				defaultValue={first.carrier}
				onChange={({ target }) => onCarrier(target.value)}
				problem={problemAt(error, "carrier")}
				required={isRequired}
				autoComplete="off"
				autoCapitalize="none"
				data-scan=""
			/>
			<Field
				label={parcel.optional(parcel.service)}
				name="service"
				defaultValue={first.service}
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
	const asks = error instanceof MistypedParcel ? error.asks : null;
	const [asked, setAsked] = useState<ReadonlySet<MistypedParcel["asks"]>>(new Set());
	useEffect(() => {
		if (asks !== null) setAsked((was) => new Set(was).add(asks));
	}, [asks]);
	const texts = { other_carrier: words.parcel.otherCarrier, same_parcel: words.parcel.sameParcel };
	return [...asked].map((name) => (
		<label key={name} className="check">
			<input type="checkbox" name={name} /> {texts[name]}
		</label>
	));
}
