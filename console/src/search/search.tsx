import { useQueries } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import type { CallError } from "../api/call.ts";
import { Empty, Page, Problem, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type Found, type FoundKind, SEARCHED, type SearchedKind } from "./found.ts";

/** Everything that has a text printed on it. The one thing that is exactly this opens at once. */
export default function Search(): ReactNode {
	const [search] = useSearchParams();
	const q = (search.get("q") ?? "").trim();
	return (
		<Page title={q === "" ? words.find.title : words.find.titleOf(q)}>
			{q === "" ? <Empty title={words.find.start} hint={words.find.startHint} /> : <Results key={q} q={q} />}
		</Page>
	);
}

function Results({ q }: { q: string }): ReactNode {
	const navigate = useNavigate();
	const isDecided = useRef(false);
	const answers = useQueries({
		queries: SEARCHED.map(({ operation, find }) => ({
			queryKey: [operation, "search", q],
			queryFn: ({ signal }: { signal: AbortSignal }): Promise<FoundKind> => find(q, signal),
		})),
	});
	const isSearching = answers.some(({ isPending }) => isPending);
	const groups = groupsOf(answers.map(({ data }) => data));
	const exact = [...new Set(groups.flatMap(({ items }) => items.filter(({ isExact }) => isExact)).map(({ to }) => to))];
	const only = exact.length === 1 ? exact[0] : undefined;
	useEffect(() => {
		if (isSearching || isDecided.current) return;
		isDecided.current = true; // what arrives later does not take the page away from its reader
		if (only !== undefined) void navigate(only, { replace: true });
	}, [isSearching, only, navigate]);
	const error = answers.find((one) => one.error !== null)?.error ?? null;
	return (
		<>
			{isSearching ? <p role="status">{words.find.searching}</p> : null}
			<Problem error={error as CallError | null} />
			{!isSearching && error === null && groups.length === 0 ? (
				<Empty title={words.find.nothing(q)} hint={words.find.nothingHint} />
			) : null}
			{groups.map((group) => (
				<Group key={group.title} q={q} {...group} />
			))}
		</>
	);
}

interface FoundGroup extends FoundKind {
	readonly title: string;
	readonly listAt: SearchedKind["listAt"];
}

/** What was found, by title: kinds of the same title are one, and a thing that two of them found is one. */
function groupsOf(answers: readonly (FoundKind | undefined)[]): readonly FoundGroup[] {
	const groups = new Map<string, FoundGroup>();
	for (const [n, { title, listAt }] of SEARCHED.entries()) {
		const answer = answers[n];
		if (answer === undefined || answer.items.length === 0) continue;
		const before = groups.get(title) ?? { title, listAt: null, items: [], more: false };
		const isNew = ({ to }: Found): boolean => before.items.every((one) => one.to !== to);
		groups.set(title, {
			title,
			listAt: before.listAt ?? listAt,
			items: [...before.items, ...answer.items.filter(isNew)],
			more: before.more || answer.more,
		});
	}
	return [...groups.values()];
}

const Group = ({ q, title, items, more, listAt }: FoundGroup & { q: string }): ReactNode => (
	<section>
		<h2>{title}</h2>
		<ul className="plain">
			{items.map(({ to, name, about, isExact }) => (
				<li key={to}>
					<Link to={to}>{name}</Link> <span className="quiet">{about}</span>{" "}
					{isExact ? <State word={words.find.exact} tone="good" /> : null}
				</li>
			))}
		</ul>
		{more && listAt !== null ? <Link to={listAt(q)}>{words.find.all(title)}</Link> : null}
	</section>
);
