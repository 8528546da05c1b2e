import type { ReactNode } from "react";
import type { EndedOf } from "../api/run.ts";
import { Table } from "../parts/list.tsx";
import { momentText } from "../parts/time.tsx";
import { words } from "../words/words.ts";

/** The reply of a verification that was completed. */
export type LedgerVerdict = EndedOf<"verify_ledger">;
type Difference = LedgerVerdict["differences"][number];

/** What a verification of the ledger found: nothing, or each broken rule with its first examples. */
export const Verdict = ({ verdict }: { verdict: LedgerVerdict }): ReactNode => (
	<>
		<p role="status" className={verdict.ok ? "good strong" : "bad strong"}>
			{verdict.ok ? words.health.whole : words.health.differences(verdict.differences_count)}
		</p>
		<p className="quiet">{words.health.checked(verdict.checked, momentText(verdict.as_of))}</p>
		{verdict.ok ? null : <p>{words.health.tellAdmin}</p>}
		{verdict.differences.map((difference) => (
			<Broken key={difference.rule} difference={difference} />
		))}
	</>
);

const Broken = ({ difference: { meaning, count, examples } }: { difference: Difference }): ReactNode => (
	<>
		<Table
			caption={words.health.rule(meaning, count)}
			rows={examples}
			keyOf={({ subject, expected, found }) => JSON.stringify([subject, expected, found])}
			columns={[
				{ head: words.health.subject, cell: ({ subject }) => subject },
				{ head: words.health.expected, cell: ({ expected }) => expected },
				{ head: words.health.foundValue, cell: ({ found }) => found },
			]}
		/>
		{count > examples.length ? <p className="quiet">{words.health.more(count - examples.length)}</p> : null}
	</>
);
