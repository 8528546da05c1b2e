import type { ReactNode } from "react";
import { Link } from "react-router";
import { words } from "../app/words.ts";
import { List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";

const BUCKETS = ["available", "held", "allocated", "quarantined"];

/** All lots with units. */
export default function Lots(): ReactNode {
	return (
		<Page title={words.stock.title}>
			<List
				id="list_lots"
				caption={words.stock.title}
				filters={[
					{ name: "q", label: words.stock.q },
					{ name: "bucket", label: words.stock.units, options: BUCKETS },
				]}
				keyOf={({ fg_id }) => fg_id}
				empty={{ title: words.stock.empty, hint: words.stock.emptyHint }}
				emptyFiltered={words.stock.emptyFiltered}
				columns={[
					{
						head: words.stock.batch,
						cell: ({ fg_id, batch_number }) => <Link to={`/stock/${fg_id}`}>{batch_number}</Link>,
					},
					{ head: words.stock.formula, cell: ({ formula }) => formula },
					{ head: words.stock.pool, cell: ({ brand_code }) => brand_code ?? words.stock.shared },
					{
						head: words.stock.expires,
						cell: ({ expires_on, in_date }) =>
							expires_on === null ? null : <State word={expires_on} tone={in_date ? "plain" : "bad"} />,
					},
					{ head: words.stock.available, cell: ({ available }) => available, isNumber: true },
					{ head: words.stock.held, cell: ({ held }) => held, isNumber: true },
					{ head: words.stock.allocated, cell: ({ allocated }) => allocated, isNumber: true },
					{ head: words.stock.quarantined, cell: ({ quarantined }) => quarantined, isNumber: true },
				]}
			/>
		</Page>
	);
}
