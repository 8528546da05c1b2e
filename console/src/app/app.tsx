import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { Route, Routes } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { Empty, Loading, Page, Problem } from "../parts/page.tsx";
import { SignInPage } from "../people/sign-in.tsx";
import { Shell } from "./shell.tsx";
import { words } from "./words.ts";

const Today = lazy(() => import("../today/today.tsx"));
const Orders = lazy(() => import("../orders/orders.tsx"));
const Order = lazy(() => import("../orders/order.tsx"));
const Holds = lazy(() => import("../holds/holds.tsx"));
const Hold = lazy(() => import("../holds/hold.tsx"));
const Lots = lazy(() => import("../stock/lots.tsx"));
const Lot = lazy(() => import("../stock/lot.tsx"));
const Keys = lazy(() => import("../keys/keys.tsx"));
const Key = lazy(() => import("../keys/key.tsx"));
const NewKey = lazy(() => import("../keys/new-key.tsx"));
const People = lazy(() => import("../people/people.tsx"));
const Audit = lazy(() => import("../audit/audit.tsx"));
const Account = lazy(() => import("../people/account.tsx"));
const AddFactor = lazy(() => import("../people/add-factor.tsx"));
const SetUp = lazy(() => import("../people/set-up.tsx"));

/** The console: the set-up link needs no session, everything else does. */
export const App = (): ReactNode => (
	<Suspense fallback={<Loading />}>
		<Routes>
			<Route path="/set-up" element={<SetUp />} />
			<Route path="*" element={<SignedIn />} />
		</Routes>
	</Suspense>
);

function SignedIn(): ReactNode {
	const [mayBe, setMayBe] = useState(() => document.documentElement.dataset.cookie !== "no");
	return mayBe ? <Known /> : <SignInPage onDone={() => setMayBe(true)} />;
}

/** Somebody whose browser has the cookie of a session, which may have ended. */
function Known(): ReactNode {
	const client = useQueryClient();
	const { data: me, error, refetch } = useRead("get_me");
	if (error !== null && error.code === "unauthorized") return <SignInPage onDone={() => void client.resetQueries()} />;
	if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
	if (me === undefined) return <Loading />;
	if (me.second_factor === "needed") {
		return (
			<main className="alone">
				<AddFactor isRequired />
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

const Pages = ({ me }: { me: DataOf<"get_me"> }): ReactNode => (
	<Routes>
		<Route index element={<Today />} />
		<Route path="orders" element={<Orders />} />
		<Route path="orders/:id" element={<Order me={me} />} />
		<Route path="holds" element={<Holds />} />
		<Route path="holds/:token" element={<Hold me={me} />} />
		<Route path="stock" element={<Lots />} />
		<Route path="stock/:fg_id" element={<Lot me={me} />} />
		<Route path="api-keys" element={<Keys me={me} />} />
		<Route path="api-keys/new" element={<NewKey me={me} />} />
		<Route path="api-keys/:pk" element={<Key me={me} />} />
		<Route path="people" element={<People />} />
		<Route path="audit" element={<Audit />} />
		<Route path="account" element={<Account />} />
		<Route path="*" element={<Nothing />} />
	</Routes>
);

const Nothing = (): ReactNode => (
	<Page title={words.nothingHere}>
		<Empty title={words.nothingHere} hint={words.nothingHereHint} />
	</Page>
);
