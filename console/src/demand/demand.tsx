import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { ImportDemand } from "./import-demand.tsx";
import { useBrandFilter } from "./pool.tsx";
import { NO_UNITS, UnitsFields, unitsOf } from "./units.tsx";

/** The page of all demand under one reference. */
const demandAt = (reference: string): string => `/demand/item/${encodeURIComponent(reference)}`;

/** Units promised elsewhere, the oldest first. */
export default function Demand({ me }: { me: Me }): ReactNode {
	const brand = useBrandFilter();
	return (
		<Page title={words.demand.title} actions={<Actions mayWrite={hasRole(me, "operator")} />}>
			<p>{words.demand.intro}</p>
			<List
				id="list_demand"
				caption={words.demand.title}
				filters={[{ name: "q", label: words.demand.q }, brand]}
				keyOf={({ reference, formula, brand_code }) => JSON.stringify([reference, formula, brand_code])}
				empty={{ title: words.demand.empty, hint: words.demand.emptyHint }}
				emptyFiltered={words.demand.emptyFiltered}
				columns={[
					{
						head: words.demand.reference,
						cell: ({ reference }) => <Link to={demandAt(reference)}>{reference}</Link>,
					},
					{ head: words.demand.source, cell: ({ source }) => source ?? words.demand.entered },
					{ head: words.demand.formula, cell: ({ formula }) => formula },
					{ head: words.demand.pool, cell: ({ brand_code }) => brand_code ?? words.stock.shared },
					{ head: words.demand.units, cell: ({ units }) => units, isNumber: true },
					{ head: words.demand.since, cell: ({ since }) => <Moment at={since} /> },
				]}
			/>
		</Page>
	);
}

function Actions({ mayWrite }: { mayWrite: boolean }): ReactNode {
	const [doing, setDoing] = useState<"add" | "import" | null>(null);
	const close = (): void => setDoing(null);
	return (
		<>
			<Link className="button" to="/demand/buffers">
				{words.demand.buffers}
			</Link>
			{mayWrite ? (
				<>
					<button type="button" onClick={() => setDoing("import")}>
						{words.demand.import}
					</button>
					<button type="button" className="main" onClick={() => setDoing("add")}>
						{words.demand.add}
					</button>
				</>
			) : null}
			{doing === "add" ? <AddDemand onClose={close} /> : null}
			{doing === "import" ? <ImportDemand onClose={close} /> : null}
		</>
	);
}

function AddDemand({ onClose }: { onClose: () => void }): ReactNode {
	const [typed, setTyped] = useState(NO_UNITS);
	return (
		<WriteDialog
			id="add_demand"
			title={words.demand.add}
			fields={["reference", "formula", "brand_code", "units"]}
			asked={(form) => ({ body: { reference: textOf(form, "reference")?.trim() ?? "", ...unitsOf(typed) } })}
			onClose={onClose}
		>
			{(error) => (
				<>
					<Field
						label={words.demand.reference}
						hint={words.demand.referenceHint}
						name="reference"
						maxLength={200}
						problem={problemAt(error, "reference")}
						autoComplete="off"
						required
					/>
					<UnitsFields value={typed} onChange={setTyped} least={1} problemOf={(field) => problemAt(error, field)} />
					<p className="hint">{words.demand.addHint}</p>
				</>
			)}
		</WriteDialog>
	);
}
