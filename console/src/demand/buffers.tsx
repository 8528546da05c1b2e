import { type ReactNode, useState } from "react";
import type { DataOf } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { problemAt } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { useBrandFilter } from "./pool.tsx";
import { NO_UNITS, type TypedUnits, UnitsFields, unitsOf } from "./units.tsx";

type Buffer = DataOf<"list_buffers">["items"][number];

const typedOf = ({ formula, brand_code, units }: Buffer): TypedUnits => ({
	formula,
	brand_code: brand_code ?? "",
	units: String(units),
});

/** Units that are kept back from being promised. */
export default function Buffers({ me }: { me: Me }): ReactNode {
	const brand = useBrandFilter();
	const [typed, setTyped] = useState<TypedUnits | null>(null);
	const mayWrite = hasRole(me, "operator");
	const set = (
		<button type="button" className="main" onClick={() => setTyped(NO_UNITS)}>
			{words.buffers.set}
		</button>
	);
	return (
		<Page title={words.buffers.title} actions={mayWrite ? set : undefined}>
			<p>{words.buffers.intro}</p>
			<List
				id="list_buffers"
				caption={words.buffers.title}
				filters={[brand]}
				keyOf={({ formula, brand_code }) => JSON.stringify([formula, brand_code])}
				empty={{ title: words.buffers.empty, hint: words.buffers.emptyHint }}
				emptyFiltered={words.buffers.emptyFiltered}
				columns={[
					{ head: words.demand.formula, cell: ({ formula }) => formula },
					{ head: words.demand.pool, cell: ({ brand_code }) => brand_code ?? words.stock.shared },
					{ head: words.demand.units, cell: ({ units }) => units, isNumber: true },
					...(mayWrite
						? [
								{
									head: words.buffers.change,
									cell: (buffer: Buffer) => (
										<button type="button" onClick={() => setTyped(typedOf(buffer))}>
											{words.buffers.change}
											<span className="unseen">
												{" "}
												{buffer.formula} {buffer.brand_code ?? words.stock.shared}
											</span>
										</button>
									),
								},
							]
						: []),
				]}
			/>
			{typed === null ? null : <SetBuffer typed={typed} onType={setTyped} onClose={() => setTyped(null)} />}
		</Page>
	);
}

interface SetProps {
	readonly typed: TypedUnits;
	readonly onType: (typed: TypedUnits) => void;
	readonly onClose: () => void;
}

const SetBuffer = ({ typed, onType, onClose }: SetProps): ReactNode => (
	<WriteDialog
		id="put_buffer"
		title={words.buffers.set}
		send={words.save}
		fields={["formula", "brand_code", "units"]}
		asked={() => ({ body: unitsOf(typed) })}
		onClose={onClose}
	>
		{(error) => (
			<UnitsFields
				value={typed}
				onChange={onType}
				least={0}
				unitsHint={words.buffers.unitsHint}
				problemOf={(field) => problemAt(error, field)}
			/>
		)}
	</WriteDialog>
);
