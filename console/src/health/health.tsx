import type { ReactNode } from "react";
import { useLongWrite } from "../api/run.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Table } from "../parts/list.tsx";
import { Loading, Page, Problem, State } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { words } from "../words/words.ts";
import { Backup } from "./backup.tsx";
import { Verdict } from "./verdict.tsx";

/** Whether all is well with the service and its counts, and what to do if it is not. */
export default function Health({ me }: { me: Me }): ReactNode {
	return (
		<Page title={words.health.title}>
			<Findings />
			<Verify />
			{hasRole(me, "admin") ? <Backup /> : null}
			<Dates />
		</Page>
	);
}

function Findings(): ReactNode {
	const { data, error, isFetching, refetch } = useRead("get_health");
	const retry = (): void => void refetch();
	if (data === undefined) return error === null ? <Loading /> : <Problem error={error} retry={retry} />;
	const bad = data.findings.filter(({ ok }) => !ok);
	const sorted = [...bad, ...data.findings.filter(({ ok }) => ok)];
	return (
		<section>
			<p role="status" className={data.ok ? "good strong" : "bad strong"}>
				{data.ok ? words.health.good : words.health.bad(bad.length)}
			</p>
			<Problem error={error} retry={retry} />
			<Table
				caption={words.health.findings}
				rows={sorted}
				keyOf={({ what, found }) => `${what}: ${found}`}
				columns={[
					{ head: words.health.what, cell: ({ what }) => what },
					{
						head: words.health.state,
						cell: ({ ok }) => <State word={ok ? words.health.ok : words.health.notOk} tone={ok ? "good" : "bad"} />,
					},
					{ head: words.health.found, cell: ({ found }) => found },
					{ head: words.health.advice, cell: ({ advice }) => advice },
				]}
			/>
			<button type="button" disabled={isFetching} onClick={retry}>
				{words.health.again}
			</button>
		</section>
	);
}

function Verify(): ReactNode {
	const { run, isBusy, progress, error, done } = useLongWrite("verify_ledger");
	return (
		<section>
			<h2>{words.health.verify}</h2>
			<p>{words.health.verifyHint}</p>
			<button type="button" disabled={isBusy} onClick={() => void run({})}>
				{words.health.startVerify}
			</button>
			<Progress run={progress} isBusy={isBusy} />
			<Problem error={error} />
			{done === null ? null : <Verdict verdict={done} />}
		</section>
	);
}

const DATE_TONES = { current: "good", supported: "plain", deprecated: "bad" } as const;

/** The API dates that partners may use. */
function Dates(): ReactNode {
	const { data, error, refetch } = useRead("list_api_dates");
	return (
		<section>
			<h2>{words.health.dates}</h2>
			<p>{words.health.datesHint}</p>
			<Problem error={error} retry={() => void refetch()} />
			{data === undefined ? null : (
				<Table
					caption={words.health.dates}
					rows={data.items}
					keyOf={({ date }) => date}
					columns={[
						{ head: words.health.date, cell: ({ date }) => date },
						{
							head: words.health.state,
							cell: ({ status }) => <State word={words.health.dateStates[status]} tone={DATE_TONES[status]} />,
						},
						{ head: words.health.until, cell: ({ sunset_on }) => sunset_on ?? words.health.noEnd },
					]}
				/>
			)}
		</section>
	);
}
