import type { ReactNode } from "react";
import { Problem } from "../parts/page.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import type { GoLive } from "./golive.tsx";

type Item = NonNullable<GoLive["last_look"]>["items"][number];

/** What the partner showed last, beside the counts of that instant. */
export function LastLook({ of: look }: { of: GoLive["last_look"] }): ReactNode {
	if (look === null) return null;
	return (
		<>
			<h2>
				{words.golive.look} <Moment at={look.at} exact />
			</h2>
			{look.problem === null ? null : <Problem error={new Error(`${words.golive.lookProblem}: ${look.problem}`)} />}
			<ShortTable<Item>
				caption={words.golive.look}
				rows={look.items}
				keyOf={({ sku }) => sku}
				columns={[
					{ head: words.golive.sku, cell: ({ sku }) => sku },
					{
						head: words.golive.shown,
						cell: ({ hidden, shown_qty }) => (hidden ? words.golive.hidden : (shown_qty ?? words.none)),
						isNumber: true,
					},
					{ head: words.golive.count, cell: ({ atp_qty }) => atp_qty ?? words.none, isNumber: true },
					{ head: words.golive.document, cell: ({ coa_url }) => coa_url ?? words.none },
				]}
			/>
		</>
	);
}
