import type { ReactNode } from "react";
import { Link } from "react-router";
import { words } from "../app/words.ts";
import { List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";

const STATES = ["active", "expired", "released", "consumed", "placed", "reversed"];

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
					{ name: "status", label: words.holds.status, options: STATES },
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
						cell: ({ status, impaired }) => (
							<State word={impaired ? `${status}, impaired` : status} tone={impaired ? "bad" : "plain"} />
						),
					},
					{ head: words.holds.units, cell: ({ units }) => units, isNumber: true },
					{ head: words.holds.ends, cell: ({ expires_at, ended_at }) => <Moment at={ended_at ?? expires_at} /> },
				]}
			/>
		</Page>
	);
}
