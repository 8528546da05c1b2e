import { createContext, type ReactNode, useContext, useEffect } from "react";
import { words } from "../words/words.ts";

/** The heading of the page: a table of the same name does not repeat it. */
export const PageTitle = createContext("");

/** The section of the guides that explains the page; null: there is none. */
export const PageHelp = createContext<string | null>(null);

/** Opens in a new window: what was typed on the page stays. */
function HelpLink({ title }: { title: string }): ReactNode {
	const section = useContext(PageHelp);
	return section === null ? null : (
		<a
			className="help"
			href={`/admin/help/${section}`}
			target="_blank"
			rel="noreferrer"
			aria-label={words.helpOf(title)}
		>
			{words.help}
		</a>
	);
}

/** A page with its heading; `actions` are beside it. */
export function Page(props: { title: string; actions?: ReactNode; children: ReactNode }): ReactNode {
	const { title, actions, children } = props;
	useEffect(() => {
		document.title = `${title} · ${words.name}`;
	}, [title]);
	return (
		<PageTitle value={title}>
			<div className="heading">
				<h1>{title}</h1>
				<HelpLink title={title} />
				{actions === undefined ? null : <div className="actions">{actions}</div>}
			</div>
			{children}
		</PageTitle>
	);
}

/** What a list without rows says: what is missing, and the next step. */
export const Empty = ({ title, hint }: { title: string; hint?: ReactNode }): ReactNode => (
	<div className="empty">
		<p className="strong">{title}</p>
		{hint === undefined ? null : <p>{hint}</p>}
	</div>
);

export const Loading = (): ReactNode => (
	<p className="quiet" role="status">
		{words.loading}
	</p>
);

/** A refusal or failure, in the words of the service. */
export const Problem = ({ error, retry }: { error: Error | null; retry?: () => void }): ReactNode =>
	error === null ? null : (
		<div className="problem" role="alert">
			<p>{error.message}</p>
			{retry === undefined ? null : (
				<button type="button" onClick={retry}>
					{words.again}
				</button>
			)}
		</div>
	);

/** The page of an object that cannot be read. */
export const Failed = ({ title, error, retry }: { title: string; error: Error; retry: () => void }): ReactNode => (
	<Page title={title}>
		<Problem error={error} retry={retry} />
	</Page>
);

/** Terms with their values. */
export const Facts = ({ facts }: { facts: readonly (readonly [term: string, value: ReactNode])[] }): ReactNode => (
	<dl className="facts">
		{facts.map(([term, value]) => (
			<div key={term}>
				<dt>{term}</dt>
				<dd>{value ?? words.none}</dd>
			</div>
		))}
	</dl>
);

/** A state as a word with a colour that says the same. */
export const State = ({ word, tone = "plain" }: { word: string; tone?: "good" | "bad" | "plain" }): ReactNode => (
	<span className={`state ${tone}`}>{word}</span>
);
