import type { ReactNode } from "react";
import { useParams } from "react-router";
import { addressOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { RecallReport } from "./report.tsx";
import { RecallState, type ToldRecall } from "./state.tsx";

/** One recall: its lots, whom to tell, and who lacks units, as of now. */
export default function RecallPage(): ReactNode {
	const { id = "" } = useParams();
	const { data: told, error, refetch } = useRead("get_recall", { params: { id } });
	const retry = (): void => void refetch();
	if (told === undefined) {
		return error === null ? <Loading /> : <Failed title={words.recalls.title} error={error} retry={retry} />;
	}
	const ways = (
		<>
			<button type="button" onClick={() => window.print()}>
				{words.recalls.print}
			</button>
			<a className="button" href={addressOf("get_recall_csv", { params: { id } })} download={`recall-${id}.csv`}>
				{words.recalls.csv}
			</a>
		</>
	);
	return (
		<Page title={titleOf(told)} actions={ways}>
			<Problem error={error} retry={retry} />
			<Facts
				facts={[
					[words.recalls.state, told.status === null ? null : <RecallState key="state" status={told.status} />],
					[words.reason, told.reason],
					[words.recalls.formula, told.formula ?? words.recalls.anyFormula],
					[words.recalls.started, <Moment key="started" at={told.started_at} />],
					[words.recalls.ended, told.ended_at === null ? null : <Moment key="ended" at={told.ended_at} />],
				]}
			/>
			{told.left === 0 ? null : (
				<progress value={told.moved} max={told.moved + told.left} aria-label={words.recalls.left} />
			)}
			<RecallReport told={told} />
			<p className="hint">{words.recalls.falseAlarm}</p>
		</Page>
	);
}

function titleOf({ batch_number, lots }: ToldRecall): string {
	const [lot] = lots;
	return words.recalls.titleOf(batch_number ?? (lot === undefined ? words.recalls.oneLot : lot.batch_number));
}
