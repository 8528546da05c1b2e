import { type RefObject, useRef, useState } from "react";
import { CallError } from "../api/call.ts";
import { useScanner } from "../warehouse/scanner.ts";
import { setFieldText } from "../warehouse/typed-field.ts";
import { guessCarrier, isSpellingOf, lastParcel } from "./carrier.ts";
import { wrongNumber } from "./parcel.ts";

export interface LabelOfBox {
	readonly carrier_code: string | null;
	readonly service_code: string | null;
	readonly tracking_number: string | null;
}

/** The initial contents of the fields of a parcel. */
function firstOf(box: LabelOfBox, number: string) {
	const last = lastParcel();
	const had = box.carrier_code === null ? last : { carrier: box.carrier_code, service: box.service_code ?? "" };
	return { number, ...guessedOver(had, number) };
}

/** Carrier and service, unless the number shows another carrier. */
function guessedOver(had: ReturnType<typeof lastParcel>, number: string): ReturnType<typeof lastParcel> {
	const guess = guessCarrier(number);
	if (guess === null || isSpellingOf(guess, had.carrier)) return had;
	const last = lastParcel();
	return isSpellingOf(guess, last.carrier) ? last : { carrier: guess, service: "" };
}

/**
 * The fields of a parcel as they are filled in by a scanner or by hand. A scan fills the tracking number, whichever
 * field has the focus, unless it is something else (`wrong`). The number shows the carrier, until that is changed by
 * hand.
 */
export function useParcel(
	fields: RefObject<HTMLElement | null>,
	box: LabelOfBox,
	tracking: string | undefined,
	isBusy: boolean,
) {
	const [first] = useState(() => firstOf(box, tracking ?? box.tracking_number ?? ""));
	const [number, setNumber] = useState(first.number);
	const [carrier, setCarrier] = useState(first.carrier);
	const [wrong, setWrong] = useState<string | null>(null);
	const auto = useRef({ carrier: first.carrier, service: first.service });
	const fieldOf = (name: string): HTMLInputElement | null =>
		fields.current?.querySelector<HTMLInputElement>(`input[name=${name}]`) ?? null;
	const onNumber = (text: string): void => {
		setNumber(text);
		const [ofCarrier, ofService] = [fieldOf("carrier"), fieldOf("service")];
		if (ofCarrier === null || ofCarrier.value !== auto.current.carrier) return;
		const next = guessedOver(auto.current, text);
		if (ofService?.value === auto.current.service) setFieldText(ofService, next.service);
		setFieldText(ofCarrier, next.carrier);
		auto.current = next;
	};
	const scan = async (code: string): Promise<void> => {
		setWrong(null);
		const found = code === box.tracking_number ? null : await wrongNumber(code).catch(messageOf);
		if (found !== null) {
			setWrong(found);
			fields.current?.scrollIntoView({ block: "start" });
			return;
		}
		const field = fieldOf("tracking_number");
		if (field === null) return;
		setFieldText(field, code);
		field.focus();
	};
	useScanner(scan, "dialog", isBusy);
	return { first, number, carrier, wrong, onNumber, onCarrier: setCarrier };
}

function messageOf(error: unknown): string {
	if (!(error instanceof CallError)) throw error;
	return error.message;
}
