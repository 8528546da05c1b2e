import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { CopyText } from "../parts/copy.tsx";
import { Facts, Failed, Loading, Page, State } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { CallerOf, operationOf } from "./caller.tsx";

type Request = DataOf<"get_request">;

/** One request whole: why it was refused first, then everything that was kept of it. */
export default function RequestPage(): ReactNode {
	const { request_id = "" } = useParams();
	const { data: request, error, refetch } = useRead("get_request", { params: { request_id } });
	if (error !== null) return <Failed title={words.request.title} error={error} retry={() => void refetch()} />;
	if (request === undefined) return <Loading />;
	return (
		<Page title={`${words.request.title} ${request.request_id}`}>
			{request.explanation.length === 0 ? null : <Why of={request} />}
			<h2>{words.request.facts}</h2>
			<Sent of={request} />
			{request.environment === "live" ? <p className="quiet">{words.request.noBody}</p> : null}
			{request.body === null ? null : <CopyText label={words.request.body} text={request.body} />}
			{request.reply === null ? null : <CopyText label={words.request.reply} text={request.reply} />}
			<CopyText label={words.request.curl} text={request.curl} />
			<details>
				<summary>{words.request.json}</summary>
				<CopyText label={words.request.json} text={JSON.stringify(request, null, 2)} />
			</details>
		</Page>
	);
}

/** The reason of a refusal in sentences, with ways to the counts of that instant. */
const Why = ({ of: { explanation, counts } }: { of: Request }): ReactNode => (
	<section className="card">
		<h2>{words.request.why}</h2>
		<ul>
			{explanation.map((sentence) => (
				<li key={sentence}>{sentence}</li>
			))}
		</ul>
		{counts.length === 0 ? null : (
			<>
				<h3>{words.request.counts}</h3>
				<ul>
					{counts.map(({ sku, key, at }) => (
						<li key={sku}>
							<Link to={`/counts?${new URLSearchParams({ sku, at, ...(key === null ? {} : { key }) })}`}>
								{words.request.explainCount(sku)}
							</Link>
						</li>
					))}
				</ul>
			</>
		)}
	</section>
);

const Sent = ({ of: one }: { of: Request }): ReactNode => (
	<Facts
		facts={[
			[words.requests.at, <Moment key="at" at={one.at} exact />],
			[words.requests.key, <CallerOf key="key" of={one} />],
			...(one.auth_failure === null
				? []
				: ([[words.request.authFailure, words.request.authFailures[one.auth_failure] ?? one.auth_failure]] as const)),
			[words.requests.operation, operationOf(one)],
			[
				words.requests.answer,
				<State
					key="answer"
					word={one.code === null ? String(one.status) : `${one.status} ${one.code}`}
					tone={one.code === null ? "good" : "bad"}
				/>,
			],
			[words.requests.ms, one.ms],
			[words.requests.about, one.about.length === 0 ? null : one.about.join(", ")],
			[words.request.dates, words.request.dateOf(one.date_sent, one.date_used)],
			[words.request.sizes, `${one.bytes_in}, ${one.bytes_out}`],
			[words.request.address, one.address],
			[words.request.agent, one.user_agent],
		]}
	/>
);
