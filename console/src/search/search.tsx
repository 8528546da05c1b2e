import { useQueries } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import type { CallError } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Empty, Page, Problem, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type Found, type FoundKind, type SearchedKind, searchedBy } from "./found.ts";

/**
 * Everything that a text finds. If a single result is found, and the text is exactly its name, its page opens at once.
 */
export default function Search({ me }: { me: Me }): ReactNode {
	const [search] = useSearchParams();
	const q = (search.get("q") ?? "").trim();
	return (
		<Page title={q === "" ? words.find.title : words.find.titleOf(q)}>
			{q === "" ? (
				<Empty title={words.find.start} hint={words.find.startHint} />
			) : (
				<Results key={q} q={q} searched={searchedBy(me)} mayPack={hasRole(me, "warehouse")} />
			)}
		</Page>
	);
}

interface ResultsProps {
	readonly q: string;
	readonly searched: readonly SearchedKind[];
	/** Whether a found order also has a link to the page where it is packed. */
	readonly mayPack: boolean;
}

function Results({ q, searched, mayPack }: ResultsProps): ReactNode {
	const navigate = useNavigate();
	const isDecided = useRef(false);
	const answers = useQueries({
		queries: searched.map(({ operation, find }) => ({
			queryKey: [operation, "search", q],
			queryFn: ({ signal }: { signal: AbortSignal }): Promise<FoundKind> => find(q, signal),
		})),
	});
	const isSearching = answers.some(({ isPending }) => isPending);
	const groups = groupsOf(
		searched,
		answers.map(({ data }) => data),
	);
	const only = onlyOf(groups.flatMap(({ items }) => items));
	useEffect(() => {
		if (isSearching || isDecided.current) return;
		isDecided.current = true; // results that arrive later open no page
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
				<Group key={group.title} q={q} mayPack={mayPack} {...group} />
			))}
		</>
	);
}

/** The page of the one thing that is exactly the text, if nothing else was found but what belongs to it. */
function onlyOf(all: readonly Found[]): string | undefined {
	const [only, other] = all.filter(({ isExact }) => isExact);
	if (only === undefined || other !== undefined) return undefined;
	const belongs = (one: Found): boolean =>
		one === only || (one.of ?? []).includes(only.to) || (only.of ?? []).includes(one.to);
	return all.every(belongs) ? only.to : undefined;
}

interface FoundGroup extends FoundKind {
	readonly title: string;
	readonly listAt: SearchedKind["listAt"];
}

/** What was found, by title: kinds of the same title are one, and a thing that two of them found is one. */
function groupsOf(
	searched: readonly SearchedKind[],
	answers: readonly (FoundKind | undefined)[],
): readonly FoundGroup[] {
	const groups = new Map<string, FoundGroup>();
	for (const [n, { title, listAt }] of searched.entries()) {
		const answer = answers[n];
		if (answer === undefined || answer.items.length === 0) continue;
		const before = groups.get(title) ?? { title, listAt: null, items: [], more: false };
		const isNew = ({ to, name }: Found): boolean => before.items.every((one) => one.to !== to || one.name !== name);
		groups.set(title, {
			title,
			listAt: before.listAt ?? listAt,
			items: [...before.items, ...answer.items.filter(isNew)],
			more: before.more || answer.more,
		});
	}
	return [...groups.values()];
}

const Group = ({ q, mayPack, title, items, more, listAt }: FoundGroup & Omit<ResultsProps, "searched">): ReactNode => (
	<section>
		<h2>{title}</h2>
		<ul className="plain">
			{items.map(({ to, name, about, isExact }) => (
				<li key={`${to} ${name}`}>
					<Link to={to}>{name}</Link> <span className="quiet">{about}</span>{" "}
					{isExact ? <State word={words.find.exact} tone="good" /> : null}{" "}
					{mayPack && to.startsWith("/orders/") ? (
						<Link to={`/warehouse${to}`}>
							{words.orders.pack} {name}
						</Link>
					) : null}
				</li>
			))}
		</ul>
		{more && listAt !== null ? <Link to={listAt(q)}>{words.find.all(title)}</Link> : null}
	</section>
);
