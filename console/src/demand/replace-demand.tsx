import { type ReactNode, useState } from "react";
import type { DataOf } from "../api/call.ts";
import { problemAt } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { NO_UNITS, type TypedUnits, UnitsFields, unitsOf } from "./units.tsx";

interface Typed extends TypedUnits {
	/** Identifies the row while others are added and removed. */
	readonly row: number;
}

/** Replaces all demand under a reference: what is left out is removed. */
export function ReplaceDemand({ of: item, onClose }: { of: DataOf<"get_demand">; onClose: () => void }): ReactNode {
	const [rows, setRows] = useState<readonly Typed[]>(() =>
		item.items.map(({ formula, brand_code, units }, row) => ({
			row,
			formula,
			brand_code: brand_code ?? "",
			units: String(units),
		})),
	);
	const next = Math.max(-1, ...rows.map(({ row }) => row)) + 1;
	return (
		<WriteDialog
			id="put_demand"
			title={words.demandItem.change}
			send={words.save}
			fields={rows.flatMap((_, n) => ["formula", "brand_code", "units"].map((field) => `items/${n}/${field}`))}
			replaces={{ read: "get_demand", params: { reference: item.reference }, shown: item }}
			asked={() => ({ params: { reference: item.reference }, body: { items: rows.map(unitsOf) } })}
			onClose={onClose}
		>
			{(error) => (
				<>
					<p className="hint">{words.demandItem.changeHint}</p>
					{rows.map((row, n) => (
						<fieldset key={row.row} className="card">
							<legend>{words.demandItem.row(n + 1)}</legend>
							<UnitsFields
								value={row}
								onChange={(typed) => setRows(rows.with(n, { ...typed, row: row.row }))}
								least={1}
								problemOf={(field) => problemAt(error, `items/${n}/${field}`)}
							/>
							{rows.length === 1 ? null : (
								<button type="button" onClick={() => setRows(rows.filter((one) => one !== row))}>
									{words.demandItem.removeRow}
									<span className="unseen"> {words.demandItem.row(n + 1)}</span>
								</button>
							)}
						</fieldset>
					))}
					<button type="button" onClick={() => setRows([...rows, { ...NO_UNITS, row: next }])}>
						{words.demandItem.addRow}
					</button>
				</>
			)}
		</WriteDialog>
	);
}
