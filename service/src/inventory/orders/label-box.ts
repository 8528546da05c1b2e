import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import { findNamedOrder, type OperatorDeps } from "./find-named-order.ts";
import { type Parcel, wrongInParcel } from "./parcel.ts";
import { boxNow } from "./ship-order.ts";

/**
 * Notes the label of the box in which an order waits. The box as it is now is returned; a label noted before is
 * replaced.
 */
export async function labelBox(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	name: string,
	parcel: Parcel & { readonly trackingNumber: string },
) {
	const wrong = wrongInParcel(parcel);
	if (wrong) return refuse("invalid_input", `/${wrong.field}: ${wrong.message}.`);
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const { carrierCode, serviceCode, trackingNumber } = parcel;
	const answer = await engine.execute({
		kind: "createLabel",
		orderId: found.orderId,
		...{ carrierCode, serviceCode, trackingNumber },
	});
	return isRefusal(answer) ? answer : await boxNow(db, answer.shipmentId);
}
