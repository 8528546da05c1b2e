import { type ReactNode, useEffect, useState } from "react";
import { Link, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useFile } from "../api/file.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { Actions } from "./actions.tsx";
import { Checks } from "./checks.tsx";
import { Countdown } from "./countdown.tsx";
import { LastLook } from "./look.tsx";
import { GoLiveState } from "./state.tsx";

export type GoLive = DataOf<"get_golive">;

/** Milliseconds between two reads of a run that is running: each read grades it again. */
const READ_EVERY_MS = 5_000;

/** One go-live: its state, every check, and what can be done. */
export default function GoLivePage({ me }: { me: Me }): ReactNode {
	const { id = "" } = useParams();
	const { data: run, error, refetch } = useRead("get_golive", { params: { id } });
	const [isFinishing, setFinishing] = useState(false);
	const isRunning = run?.state === "running";
	useEffect(() => {
		if (!isRunning) return undefined;
		const timer = setInterval(() => void refetch(), READ_EVERY_MS);
		return () => clearInterval(timer);
	}, [isRunning, refetch]);
	if (run === undefined) {
		const retry = (): void => void refetch();
		return error === null ? <Loading /> : <Failed title={words.golives.title} error={error} retry={retry} />;
	}
	const mayChange = hasRole(me, "operator") && (isRunning || isFinishing);
	return (
		<Page title={`${words.golive.title(run.number)}: ${run.partner}`} actions={<Report of={run} />}>
			<p className="strong">{run.line}</p>
			{run.drill_until === null ? null : <Countdown says={words.golive.drillUntil} until={run.drill_until} />}
			{run.unkind_until === null ? null : <Countdown says={words.golive.unkindUntil} until={run.unkind_until} />}
			{run.messages_pending ? <p className="quiet">{words.golive.messagesPending}</p> : null}
			{run.retirement_pending ? <p className="quiet">{words.golive.retirementPending}</p> : null}
			{mayChange ? <Actions of={run} me={me} onFinishing={setFinishing} /> : null}
			<Checks of={run} mayChange={mayChange} />
			<LastLook of={run.last_look} />
			<AllFacts of={run} />
		</Page>
	);
}

const AllFacts = ({ of: run }: { of: GoLive }): ReactNode => (
	<Facts
		facts={[
			[words.golives.state, <GoLiveState key="state" state={run.state} />],
			[
				words.golives.key,
				<Link key="key" to={`/api-keys/${run.key}`}>
					{run.key_name}
				</Link>,
			],
			[words.golives.statusUrl, run.status_url],
			[words.golives.nextLook, <Moment key="look" at={run.next_look_at} exact />],
			[words.golives.skus, run.skus.length === 0 ? null : run.skus.join(", ")],
			[words.golives.started, <Moment key="started" at={run.started_at} />],
			[words.golives.startedBy, run.started_by],
			[words.golives.ended, <Moment key="ended" at={run.ended_at} />],
			[words.golives.endedBy, run.ended_by],
			[words.golives.endReason, run.end_reason],
			[
				words.golives.productionKey,
				run.production_key === null ? null : (
					<Link key="production" to={`/api-keys/${run.production_key}`}>
						{run.production_key}
					</Link>
				),
			],
			[words.golives.digest, run.report_digest],
		]}
	/>
);

/** The report as a page, and as a PDF. */
function Report({ of: { golive_id, number } }: { of: GoLive }): ReactNode {
	const { save, isBusy, error } = useFile("get_golive_report", "application/pdf");
	return (
		<>
			<Problem error={error} />
			<a className="button" href={`/admin/api/v1/golives/${golive_id}/report`} target="_blank" rel="noreferrer">
				{words.golive.report}
			</a>
			<button
				type="button"
				disabled={isBusy}
				onClick={() => void save({ params: { id: golive_id } }, `go-live-${number}.pdf`)}
			>
				{words.golive.paper}
			</button>
		</>
	);
}
