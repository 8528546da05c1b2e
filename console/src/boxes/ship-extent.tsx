import { type ReactNode, useState } from "react";
import type { CallError } from "../api/call.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { words } from "../words/words.ts";
import { kitsBySku } from "./contents.tsx";

interface ShippedBox {
	readonly orders: readonly object[];
	readonly items: readonly { readonly sku: string; readonly qty: number }[];
}

interface ShipExtentProps {
	readonly box: ShippedBox;
	readonly error: CallError | null;
}

/** Whether everything leaves, or which part of it. A box with several orders leaves whole. */
export function ShipExtent({ box: { orders, items }, error }: ShipExtentProps): ReactNode {
	const [isPart, setPart] = useState(false);
	const problem = isPart ? problemAt(error, "parts") : null;
	if (orders.length > 1) return <p className="hint">{words.parcel.wholeOnly}</p>;
	return (
		<fieldset>
			<legend>{words.parcel.extent}</legend>
			{[false, true].map((part) => (
				<label key={String(part)} className="check">
					<input type="radio" name="extent" checked={isPart === part} onChange={() => setPart(part)} />{" "}
					{part ? words.parcel.part : words.parcel.everything}
				</label>
			))}
			{isPart
				? kitsBySku(items).map(({ sku, qty }) => (
						<Field
							key={sku}
							label={words.parcel.partOf(sku, qty)}
							name={`part ${sku}`}
							type="number"
							min={0}
							max={qty}
							defaultValue={0}
							required
							data-scan=""
						/>
					))
				: null}
			{problem === null ? null : (
				<p className="wrong" role="alert">
					{problem}
				</p>
			)}
		</fieldset>
	);
}

/** The part that a form names; undefined: everything leaves. */
export function partsOf({ items }: ShippedBox, form: FormData) {
	const kits = kitsBySku(items).flatMap(({ sku }) => {
		const qty = textOf(form, `part ${sku}`);
		return qty === undefined ? [] : [{ sku, qty: Number(qty) }];
	});
	return kits.length === 0 ? undefined : kits.filter(({ qty }) => qty > 0);
}
