import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { NavLink } from "react-router";
import { type AskToSignIn, call, whenSignInIsNeeded } from "../api/call.ts";
import { followChanges } from "../api/live.ts";
import { SignInDialog } from "../people/sign-in.tsx";
import { hasRole, type Me } from "./roles.ts";
import { words } from "./words.ts";

/** The frame of every page: sections, who has signed in, whether changes arrive, and the dialog to sign in again. */
export function Shell({ me, children }: { me: Me; children: ReactNode }): ReactNode {
	const client = useQueryClient();
	const [isLive, setLive] = useState(true);
	const [asked, setAsked] = useState<{ why: Parameters<AskToSignIn>[0]; answer: (done: boolean) => void } | null>(null);
	useEffect(() => followChanges(client, setLive), [client]);
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
				<NavLink className="name" to="/">
					{words.name}
				</NavLink>
				<span className={isLive ? "pulse" : "pulse off"} role="status">
					{isLive ? words.live : words.notLive}
				</span>
				<NavLink to="/account">{me.name}</NavLink>
			</header>
			<div className="columns">
				<Sections me={me} />
				<main id="content" tabIndex={-1}>
					{children}
				</main>
			</div>
			{asked === null ? null : <SignInDialog name={me.name} why={asked.why} onDone={asked.answer} />}
		</>
	);
}

const Sections = ({ me }: { me: Me }): ReactNode => (
	<nav className="sections" aria-label={words.menu}>
		<NavLink to="/" end>
			{words.sections.today}
		</NavLink>
		<NavLink to="/orders">{words.sections.orders}</NavLink>
		<NavLink to="/holds">{words.sections.holds}</NavLink>
		<NavLink to="/stock">{words.sections.stock}</NavLink>
		<NavLink to="/api-keys">{words.sections.keys}</NavLink>
		{hasRole(me, "admin") ? (
			<>
				<NavLink to="/people">{words.sections.people}</NavLink>
				<NavLink to="/audit">{words.sections.audit}</NavLink>
			</>
		) : null}
		<NavLink to="/account">{words.sections.account}</NavLink>
	</nav>
);

/** Ends the session and forgets everything that was read. */
export async function signOut(): Promise<void> {
	whenSignInIsNeeded(null);
	await call("sign_out").catch(() => undefined);
	location.assign("/admin/");
}
