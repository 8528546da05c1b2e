import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { type Column, List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { type DemandException, DismissException, RetryAll, RetryException } from "./settle-exception.tsx";

type Doing = { readonly verb: "retry" | "dismiss"; readonly of: DemandException };

const KINDS = Object.entries(words.exceptions.kinds);

/** Demand that could not be promised or drawn down, the oldest first. */
export default function Exceptions({ me }: { me: Me }): ReactNode {
	const [doing, setDoing] = useState<Doing | null>(null);
	const [isRetryingAll, setRetryingAll] = useState(false);
	const mayWrite = hasRole(me, "operator");
	const close = (): void => setDoing(null);
	const retryAll = (
		<button type="button" onClick={() => setRetryingAll(true)}>
			{words.exceptions.retryAll}
		</button>
	);
	return (
		<Page title={words.exceptions.title} actions={mayWrite ? retryAll : undefined}>
			<p>{words.exceptions.intro}</p>
			<List
				id="list_exceptions"
				caption={words.exceptions.title}
				filters={[
					{ name: "kind", label: words.exceptions.kind, options: KINDS },
					{ name: "reference", label: words.exceptions.reference },
				]}
				keyOf={({ exception_id }) => String(exception_id)}
				empty={{ title: words.exceptions.empty, hint: words.exceptions.emptyHint }}
				emptyFiltered={words.exceptions.emptyFiltered}
				columns={mayWrite ? [...COLUMNS, actColumn(setDoing)] : COLUMNS}
			/>
			{doing?.verb === "retry" ? <RetryException of={doing.of} onClose={close} /> : null}
			{doing?.verb === "dismiss" ? <DismissException of={doing.of} onClose={close} /> : null}
			{isRetryingAll ? <RetryAll onClose={() => setRetryingAll(false)} /> : null}
		</Page>
	);
}

/** The page on which the cause can be fixed. */
const cureOf = ({ kind, subject }: DemandException): string =>
	kind === "unknown_store" ? "/stores" : kind === "shortage" ? `/stock?q=${encodeURIComponent(subject)}` : "/catalogue";

const COLUMNS: readonly Column<DemandException>[] = [
	{ head: words.exceptions.about, cell: ({ reference }) => reference },
	{ head: words.exceptions.what, cell: ({ what }) => what },
	{
		head: words.exceptions.todo,
		cell: (one) => (
			<>
				{one.todo} <Link to={cureOf(one)}>{words.exceptions.cures[one.kind]}</Link>
			</>
		),
	},
	{ head: words.exceptions.since, cell: ({ created_at }) => <Moment at={created_at} /> },
];

const actColumn = (act: (doing: Doing) => void): Column<DemandException> => ({
	head: words.exceptions.act,
	cell: (one) => (
		<div className="actions">
			{(["retry", "dismiss"] as const).map((verb) => (
				<button key={verb} type="button" onClick={() => act({ verb, of: one })}>
					{words.exceptions[verb]}
					<span className="unseen"> {one.reference}</span>
				</button>
			))}
		</div>
	),
});
