import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Run } from "../api/run.ts";
import { type LedgerVerdict, Verdict } from "../health/verdict.tsx";
import { Facts } from "../parts/page.tsx";
import { words } from "../words/words.ts";

/** What a run has done so far, in the words of its operation. */
export function RunResult({ run }: { run: Run }): ReactNode {
	const { operation, status, result, run_id } = run;
	return (
		<section>
			<h2>{status === "running" ? words.run.soFar : words.run.result}</h2>
			{operation === "recall_lots" ? (
				<p>
					<Link to={`/recalls/${run_id}`}>{words.run.toRecall}</Link>
				</p>
			) : null}
			{result === null ? <p className="quiet">{words.run.noResult}</p> : <Told operation={operation} result={result} />}
		</section>
	);
}

function Told({ operation, result }: { operation: string; result: NonNullable<Run["result"]> }): ReactNode {
	if (operation === "verify_ledger" && "differences" in result) {
		return <Verdict verdict={result as unknown as LedgerVerdict} />;
	}
	const facts = factsOf(result);
	return (
		<>
			{facts.length === 0 ? null : <Facts facts={facts} />}
			<details>
				<summary>{words.run.all}</summary>
				<pre className="small">{JSON.stringify(result, null, 2)}</pre>
			</details>
		</>
	);
}

/** The members of a result for which the console has a text. */
function factsOf(result: NonNullable<Run["result"]>): readonly (readonly [string, ReactNode])[] {
	return Object.entries(words.run.names).flatMap(([name, text]) => {
		const value = result[name];
		return value === undefined ? [] : [[text, valueText(value)] as const];
	});
}

function valueText(value: unknown): string | null {
	if (typeof value === "boolean") return value ? words.run.yes : words.run.no;
	if (typeof value === "number" || typeof value === "string") return String(value);
	if (typeof value !== "object" || value === null) return null;
	const counts = Object.entries(value).filter(([, n]) => typeof n === "number" && n > 0);
	return counts.map(([of, n]) => `${n} ${of}`).join(", ") || "0";
}
