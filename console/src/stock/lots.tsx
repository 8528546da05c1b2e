import type { ReactNode } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { useBrandNames, useFormulaNames } from "../catalogue/fields.tsx";
import { List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { FORMULA, POOL } from "./lot-columns.tsx";

const BUCKETS = ["available", "held", "allocated", "consumed", "shipped", "quarantined", "destroyed"].map(
	(bucket) => [bucket, words.buckets[bucket] ?? bucket] as const,
);

/** All lots, with their units by bucket. */
export default function Lots({ me }: { me: Me }): ReactNode {
	const formulas = useFormulaNames();
	const brands = useBrandNames();
	const receive = (
		<Link className="button main" to="/stock/receive">
			{words.receive.title}
		</Link>
	);
	return (
		<Page title={words.stock.title} actions={hasRole(me, "warehouse") ? receive : undefined}>
			<List
				id="list_lots"
				caption={words.stock.title}
				filters={[
					{ name: "q", label: words.stock.q },
					{ name: "batch_number", label: words.lot.exactBatch },
					{ name: "formula", label: words.stock.formula, options: formulas },
					{ name: "brand_code", label: words.lot.anyBrand, options: brands },
					{ name: "bucket", label: words.stock.units, options: BUCKETS },
					{ name: "expires_before", label: words.lot.expiresBefore, type: "date" },
					{ name: "depleted", label: words.lot.depleted, options: Object.entries(words.lot.depletedOptions) },
				]}
				keyOf={({ fg_id }) => fg_id}
				empty={{ title: words.stock.empty, hint: hasRole(me, "warehouse") ? <NextStep me={me} /> : undefined }}
				emptyFiltered={words.stock.emptyFiltered}
				columns={[
					{
						head: words.stock.batch,
						cell: ({ fg_id, batch_number, recalled_at }) => (
							<>
								<Link to={`/stock/${fg_id}`}>{batch_number}</Link>{" "}
								{recalled_at === null ? null : <State word={words.lot.recalled} tone="bad" />}
							</>
						),
					},
					FORMULA,
					POOL,
					{
						head: words.stock.expires,
						cell: ({ expires_on, in_date }) =>
							expires_on === null ? null : <State word={expires_on} tone={in_date ? "plain" : "bad"} />,
					},
					{ head: words.stock.location, cell: ({ location }) => location },
					{ head: words.stock.available, cell: ({ available }) => available, isNumber: true },
					{ head: words.stock.held, cell: ({ held }) => held, isNumber: true },
					{ head: words.stock.allocated, cell: ({ allocated }) => allocated, isNumber: true },
					{ head: words.stock.quarantined, cell: ({ quarantined }) => quarantined, isNumber: true },
				]}
			/>
		</Page>
	);
}

/** How to enter the first stock. */
const NextStep = ({ me }: { me: Me }): ReactNode => (
	<>
		{words.receive.empty} <Link to="/stock/receive">{words.receive.title}</Link>
		{hasRole(me, "operator") ? (
			<>
				{" · "}
				<Link to="/import">{words.receive.toImport}</Link>
			</>
		) : null}
	</>
);
