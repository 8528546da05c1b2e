import type { ReactNode } from "react";
import { Link } from "react-router";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Ends } from "./ends.tsx";
import { HOLD_STATES, HoldState } from "./state.tsx";

/** Whether a hold lost units, as the API spells it and as a person reads it. */
const LOST = [
	["true", words.run.yes],
	["false", words.run.no],
] as const;

/** All holds, the newest first. */
export default function Holds(): ReactNode {
	return (
		<Page title={words.holds.title}>
			<List
				id="list_holds"
				caption={words.holds.title}
				filters={[
					{ name: "external_ref", label: words.holds.ref },
					{ name: "sku", label: words.orders.sku },
					{ name: "status", label: words.holds.status, options: HOLD_STATES },
					{ name: "impaired", label: words.holds.onlyImpaired, options: LOST },
					{ name: "key", label: words.holds.key },
					{ name: "brand_code", label: words.holds.brand },
				]}
				keyOf={({ reservation_token: token }) => token}
				empty={{ title: words.holds.empty, hint: words.holds.emptyHint }}
				emptyFiltered={words.holds.emptyFiltered}
				columns={[
					{
						head: words.holds.ref,
						cell: ({ reservation_token: token, external_ref }) => (
							<Link to={`/holds/${token}`}>{external_ref ?? token}</Link>
						),
					},
					{ head: words.holds.partner, cell: ({ partner, key_name }) => `${partner}, ${key_name}` },
					{
						head: words.holds.status,
						cell: ({ status, impaired }) => <HoldState status={status} impaired={impaired} />,
					},
					{ head: words.holds.units, cell: ({ units }) => units, isNumber: true },
					{ head: words.holds.ends, cell: (hold) => <Ends {...hold} /> },
				]}
			/>
		</Page>
	);
}
