import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { type Column, List } from "../parts/list.tsx";
import { Problem, State } from "../parts/page.tsx";
import { Moment, momentText } from "../parts/time.tsx";
import { words } from "../words/words.ts";

type Delivery = DataOf<"list_deliveries">["items"][number];

const TONES = { pending: "plain", delivered: "good", exhausted: "bad", dropped: "bad" } as const;
const STATES = Object.entries(words.deliveries.states);

interface DeliveriesProps {
	readonly mayResend: boolean;
	/** Only those of this endpoint. */
	readonly endpoint_id?: string;
	readonly empty: { readonly title: string; readonly hint: string };
}

/** Deliveries with their attempts, the newest first. Any of them can be sent again. */
export function DeliveryList({ mayResend, endpoint_id, empty }: DeliveriesProps): ReactNode {
	const resend = useWrite("resend_delivery");
	const resendColumn: Column<Delivery> = {
		head: words.deliveries.act,
		cell: ({ delivery_id, event_id }) => (
			<button type="button" disabled={resend.isBusy} onClick={() => void resend.run({ params: { id: delivery_id } })}>
				{words.deliveries.resend}
				<span className="unseen"> {event_id}</span>
			</button>
		),
	};
	return (
		<>
			<Problem error={resend.error} />
			{resend.done === undefined ? null : <p role="status">{words.deliveries.resent}</p>}
			<List
				id="list_deliveries"
				caption={words.deliveries.title}
				filters={[
					{ name: "status", label: words.deliveries.state, options: STATES },
					{ name: "event_id", label: words.deliveries.eventId },
				]}
				{...(endpoint_id === undefined ? {} : { query: { endpoint_id } })}
				keyOf={({ delivery_id }) => delivery_id}
				empty={empty}
				emptyFiltered={words.deliveries.emptyFiltered}
				columns={[
					...COLUMNS,
					...(endpoint_id === undefined ? [ENDPOINT_COLUMN] : []),
					...(mayResend ? [resendColumn] : []),
				]}
			/>
		</>
	);
}

const COLUMNS: readonly Column<Delivery>[] = [
	{ head: words.deliveries.recorded, cell: ({ created_at }) => <Moment at={created_at} /> },
	{
		head: words.deliveries.event,
		cell: ({ type, event_id }) => (
			<>
				{words.endpoints.typeNames[type]} <code className="quiet">{event_id}</code>
			</>
		),
	},
	{
		head: words.deliveries.state,
		cell: ({ status }) => <State word={words.deliveries.words[status]} tone={TONES[status]} />,
	},
	{ head: words.deliveries.attempts, cell: ({ attempts }) => <Attempts attempts={attempts} /> },
	{ head: words.deliveries.next, cell: ({ next_attempt_at }) => <Moment at={next_attempt_at} /> },
];

const ENDPOINT_COLUMN: Column<Delivery> = {
	head: words.deliveries.endpoint,
	cell: ({ endpoint_id, partner }) => <Link to={`/webhooks/endpoints/${endpoint_id}`}>{partner}</Link>,
};

/** The last answer, with all attempts behind it. */
function Attempts({ attempts }: Pick<Delivery, "attempts">): ReactNode {
	const last = attempts.at(-1);
	if (last === undefined) return words.deliveries.noAttempt;
	return (
		<details>
			<summary>
				{words.deliveries.attempt(attempts.length)}: {answerText(last)}
			</summary>
			<ol className="timeline">
				{attempts.map((one) => (
					<li key={one.at}>
						{momentText(one.at)}: {answerText(one)}
						{one.response_excerpt ? <pre className="small">{one.response_excerpt}</pre> : null}
					</li>
				))}
			</ol>
		</details>
	);
}

const answerText = ({ status, error, duration_ms }: Delivery["attempts"][number]): string =>
	status === null
		? words.deliveries.failed(error ?? words.none, duration_ms)
		: words.deliveries.answered(status, duration_ms);
