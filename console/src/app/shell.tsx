import { useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { NavLink, useLocation } from "react-router";
import { type AskToSignIn, call, whenSignInIsNeeded } from "../api/call.ts";
import { followChanges } from "../api/live.ts";
import { followPresence } from "../api/presence.ts";
import { useRead } from "../api/use.ts";
import { type Factors, SignInDialog } from "../people/sign-in.tsx";
import { SearchField } from "../search/search-field.tsx";
import { words } from "../words/words.ts";
import { hasRole, type Me } from "./roles.ts";

/** The frame of every page: sections, who has signed in, whether changes arrive, and the dialog to sign in again. */
export function Shell({ me, children }: { me: Me; children: ReactNode }): ReactNode {
	const client = useQueryClient();
	const [isLive, setLive] = useState(true);
	const isMenuOpen = useMenu();
	const factors = useFactors();
	const [asked, setAsked] = useState<{ why: Parameters<AskToSignIn>[0]; answer: (done: boolean) => void } | null>(null);
	useEffect(() => followChanges(client, setLive), [client]);
	useEffect(() => followPresence(() => void call("get_me").catch(() => undefined)), []);
	useEffect(() => {
		// several calls may be refused at the same moment: they share one question
		let open: Promise<boolean> | null = null;
		whenSignInIsNeeded((why) => {
			open ??= new Promise<boolean>((answer) => setAsked({ why, answer })).finally(() => {
				open = null;
				setAsked(null);
			});
			return open;
		});
		return () => whenSignInIsNeeded(null);
	}, []);
	return (
		<>
			<a className="skip" href="#content">
				{words.skip}
			</a>
			<header>
				<button type="button" className="menu" aria-expanded={isMenuOpen.is} onClick={isMenuOpen.toggle}>
					{words.menuButton}
				</button>
				<NavLink className="name" to="/">
					{words.name}
				</NavLink>
				<SearchField />
				<span className={isLive ? "pulse" : "pulse off"} role="status">
					{isLive ? words.live : words.notLive}
				</span>
				<NavLink to="/account">{me.name}</NavLink>
			</header>
			<div className="columns">
				<Sections me={me} isOpen={isMenuOpen.is} />
				<main id="content" tabIndex={-1}>
					{children}
				</main>
			</div>
			{asked === null ? null : <SignInDialog name={me.name} why={asked.why} factors={factors} onDone={asked.answer} />}
		</>
	);
}

/** Read before it is needed: it cannot be read any more when the session has ended. */
function useFactors(): Factors {
	const { data } = useRead("list_my_factors");
	return data === undefined ? null : new Set(data.items.map(({ kind }) => kind));
}

type Section = readonly [path: string, text: string];
const { sections, groups } = words;
const BEFORE: readonly Section[] = [["/", sections.today]];
/** The sections in groups, as the business has them. Only an admin sees those of the last. */
const GROUPS: readonly (readonly [title: string, sections: readonly Section[]])[] = [
	[
		groups.sell,
		[
			["/orders", sections.orders],
			["/holds", sections.holds],
			["/warehouse", sections.warehouse],
			["/boxes", sections.boxes],
		],
	],
	[
		groups.stock,
		[
			["/stock", sections.stock],
			["/recalls", sections.recalls],
			["/counts", sections.counts],
			["/ledger", sections.ledger],
			["/demand", sections.demand],
			["/exceptions", sections.exceptions],
			["/stores", sections.stores],
			["/catalogue", sections.catalogue],
			["/certificates", sections.certificates],
			["/import", sections.import],
		],
	],
	[
		groups.partners,
		[
			["/api-keys", sections.keys],
			["/webhooks", sections.webhooks],
			["/webhooks/deliveries", sections.deliveries],
			["/requests", sections.requests],
			["/golives", sections.golives],
		],
	],
	[
		groups.system,
		[
			["/runs", sections.runs],
			["/health", sections.health],
			["/account", sections.account],
		],
	],
];
const FOR_ADMINS: readonly Section[] = [
	["/people", sections.people],
	["/tokens", sections.tokens],
	["/audit", sections.audit],
];

/** Where the sections do not fit beside a page, a button opens them; going to a page closes them. */
function useMenu(): { readonly is: boolean; readonly toggle: () => void } {
	const { pathname } = useLocation();
	const [openAt, setOpenAt] = useState<string | null>(null);
	return { is: openAt === pathname, toggle: () => setOpenAt(openAt === pathname ? null : pathname) };
}

const Sections = ({ me, isOpen }: { me: Me; isOpen: boolean }): ReactNode => (
	<nav className={isOpen ? "sections open" : "sections"} aria-label={words.menu}>
		<Links sections={BEFORE} />
		{GROUPS.map(([title, inGroup]) => (
			<Fragment key={title}>
				<span className="group">{title}</span>
				<Links sections={inGroup} />
			</Fragment>
		))}
		{hasRole(me, "admin") ? <Links sections={FOR_ADMINS} /> : null}
		<a href="/admin/help" target="_blank" rel="noreferrer">
			{words.guides}
		</a>
	</nav>
);

const Links = (props: { sections: readonly Section[] }): ReactNode =>
	props.sections.map(([path, text]) => (
		<NavLink key={path} to={path} end={path === "/" || path === "/webhooks"}>
			{text}
		</NavLink>
	));

/** Ends the session and forgets everything that was read. */
export async function signOut(): Promise<void> {
	whenSignInIsNeeded(null);
	await call("sign_out").catch(() => undefined);
	location.assign("/admin/");
}
