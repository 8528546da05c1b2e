import { CallError } from "../api/call.ts";
import { textOf } from "../parts/form.tsx";
import { whatIs } from "../warehouse/what-is.ts";
import { words } from "../words/words.ts";

/** The fields of a parcel that show their own problems. */
export const PARCEL_FIELDS = ["carrier", "service", "tracking_number"];

/** A refusal of what is probably mistyped; `asks`: the option with which a person confirms it. */
export class MistypedParcel extends CallError {
	readonly asks: "other_carrier" | "same_parcel";
	constructor(asks: MistypedParcel["asks"], message: string, status: number) {
		super("invalid_input", message, status);
		this.asks = asks;
	}
}

/** A refusal of a parcel, in the words of the form. */
export function parcelInWords(error: CallError): CallError {
	const { message, status } = error;
	if (message.includes("other_carrier")) {
		const meant = /did you mean "([^"]+)"/.exec(message)?.[1] ?? null;
		return new MistypedParcel("other_carrier", `/carrier: ${words.parcel.unknownCarrier(meant)}`, status);
	}
	if (message.includes("same_parcel")) {
		const order = /of order (.+?)\. /.exec(message)?.[1] ?? null;
		return new MistypedParcel("same_parcel", `/tracking_number: ${words.parcel.numberOfOther(order)}`, status);
	}
	return error;
}

/** Why a number cannot be a tracking number: it is an order's, a batch's or a SKU's. Null: it can. @throws CallError */
export async function wrongNumber(number: string): Promise<string | null> {
	const { kind, name } = await whatIs(number);
	const says = { order: words.parcel.isOrder, batch: words.parcel.isBatch, sku: words.parcel.isSku, other: null };
	return says[kind]?.(name) ?? null;
}

/** The same for a form that was filled in; the number that its box already has is accepted. */
export async function checkNumber(form: FormData, label: string | null): Promise<CallError | null> {
	const { tracking_number: number } = parcelOf(form);
	if (number === undefined || number === label) return null;
	try {
		const wrong = await wrongNumber(number);
		return wrong === null ? null : new CallError("invalid_input", `/tracking_number: ${wrong}`, 0);
	} catch (error) {
		if (error instanceof CallError) return error;
		throw error;
	}
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
