import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Route, Routes, useLocation, useNavigate } from "react-router";
import { useRead } from "../api/use.ts";
import { Empty, Loading, Page, PageHelp, Problem } from "../parts/page.tsx";
import { SignInPage } from "../people/sign-in.tsx";
import { words } from "../words/words.ts";
import { HELP } from "./help.ts";
import { PAGES } from "./pages.ts";
import { hasRole, type Me } from "./roles.ts";
import { Shell } from "./shell.tsx";

const AddFactor = lazy(() => import("../people/add-factor.tsx"));
const CameBack = lazy(() => import("../people/came-back.tsx"));
const SetUp = lazy(() => import("../people/set-up.tsx"));

/** The console. The pages of a set-up link and of the return from a provider need no session; everything else does. */
export const App = (): ReactNode => (
	<Suspense fallback={<Loading />}>
		<Routes>
			<Route path="/set-up" element={<SetUp />} />
			<Route path="/sign-in" element={<CameBack />} />
			<Route path="*" element={<SignedIn />} />
		</Routes>
	</Suspense>
);

function SignedIn(): ReactNode {
	const [mayBe, setMayBe] = useState(() => document.documentElement.dataset.cookie !== "no");
	return mayBe ? <Known /> : <SignInPage onDone={() => setMayBe(true)} />;
}

/** For somebody whose browser has the cookie of a session, which may have ended. */
function Known(): ReactNode {
	const client = useQueryClient();
	const { data: me, error, refetch } = useRead("get_me");
	// the factor exists before the person has kept its recovery codes
	const [isSettingUp, setSettingUp] = useState(false);
	if (me?.second_factor === "needed" && !isSettingUp) setSettingUp(true);
	if (error !== null && error.code === "unauthorized") return <SignInPage onDone={() => void client.resetQueries()} />;
	// if a later read fails, the person is still known: a form that is being filled in does not disappear
	if (me === undefined) return error === null ? <Loading /> : <Problem error={error} retry={() => void refetch()} />;
	if (isSettingUp) {
		return (
			<main className="alone">
				<AddFactor isRequired onDone={() => setSettingUp(false)} />
			</main>
		);
	}
	return (
		<Shell me={me}>
			<Suspense fallback={<Loading />}>
				<Pages me={me} />
			</Suspense>
		</Shell>
	);
}

function Pages({ me }: { me: Me }): ReactNode {
	const { pathname } = useLocation();
	// biome-ignore lint/correctness/useExhaustiveDependencies: each page begins at its top
	useEffect(() => {
		window.scrollTo(0, 0);
	}, [pathname]);
	useLanding(me);
	return (
		<Routes>
			{PAGES.map(([path, Component, least = "viewer"]) => (
				<Route
					key={path}
					path={path}
					element={
						<PageHelp value={HELP[path] ?? null}>
							{/* the page of another object starts afresh: it shows nothing of the previous one */}
							{hasRole(me, least) ? <Component key={pathname} me={me} /> : <NotYours />}
						</PageHelp>
					}
				/>
			))}
			<Route path="help/*" element={<Guide />} />
			<Route path="*" element={<Nothing />} />
		</Routes>
	);
}

/** People with the role `warehouse` begin at the queue, with a link to Today. */
function useLanding({ role }: Me): void {
	const { pathname } = useLocation();
	const navigate = useNavigate();
	// biome-ignore lint/correctness/useExhaustiveDependencies: only where the console was opened
	useEffect(() => {
		if (role === "warehouse" && pathname === "/") void navigate("/warehouse", { replace: true });
	}, []);
}

/** A guide is a separate page. The service sent the console in its place because nobody had signed in. */
function Guide(): ReactNode {
	useEffect(() => location.reload(), []);
	return <Loading />;
}

/** Shown in place of a form, if the service would refuse this person's request. */
const NotYours = (): ReactNode => (
	<Page title={words.notYours}>
		<Empty title={words.notYours} hint={words.notYoursHint} />
	</Page>
);

const Nothing = (): ReactNode => (
	<Page title={words.nothingHere}>
		<Empty title={words.nothingHere} hint={words.nothingHereHint} />
	</Page>
);
