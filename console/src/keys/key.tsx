import { lazy, type ReactNode, Suspense, useState } from "react";
import { Link, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead, useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { KeyState } from "./state.tsx";
import { Token } from "./token.tsx";

const Figures = lazy(() => import("../series/figures.tsx"));

/** One key: what it may do, how it ends, and what it did. */
export default function KeyPage({ me }: { me: Me }): ReactNode {
	const { pk = "" } = useParams();
	const { data: key, error, refetch } = useRead("get_key", { params: { pk } });
	const retry = (): void => void refetch();
	if (key === undefined) {
		return error === null ? <Loading /> : <Failed title={words.keys.title} error={error} retry={retry} />;
	}
	const mayChange = hasRole(me, key.environment === "live" ? "admin" : "operator");
	return (
		<Page title={`${key.partner}: ${key.name}`}>
			<Problem error={error} retry={retry} />
			{mayChange ? <Actions of={key} /> : null}
			<Facts
				facts={[
					[words.keys.state, <KeyState key="state" state={key.state} />],
					[words.keys.environment, key.environment],
					[words.keys.name, <code key="pk">{key.pk}</code>],
					[words.keys.brand, key.brand_code],
					[words.keys.sharedPool, key.shared_pool ? words.keys.yes : words.keys.no],
					[words.keys.scopes, key.scopes.join(", ")],
					[words.keys.rate, key.requests_per_minute],
					[words.keys.cap, key.max_held_units ?? words.keys.noCap],
					[words.keys.created, <Moment key="created" at={key.created_at} />],
					[words.keys.ends, <Moment key="ends" at={key.revoke_at ?? key.expires_at} />],
					...(key.drill_until === null
						? []
						: ([[words.keys.drill, <Moment key="drill" at={key.drill_until} exact />]] as const)),
					...(key.golive_report === null
						? []
						: ([
								[
									words.keys.report,
									<Link key="report" to={`/golives/${key.golive_report}`}>
										{key.golive_report}
									</Link>,
								],
							] as const)),
				]}
			/>
			<Suspense fallback={<Loading />}>
				<Figures pk={key.pk} />
			</Suspense>
		</Page>
	);
}

type Key = DataOf<"get_key">;

function Actions({ of: key }: { of: Key }): ReactNode {
	const params = { pk: key.pk };
	const [asks, setAsks] = useState<"rotate" | "revoke" | null>(null);
	const rotate = useWrite("rotate_key");
	const suspend = useWrite("suspend_key");
	const resume = useWrite("resume_key");
	const revoke = useWrite("revoke_key");
	if (rotate.done !== undefined) {
		return <Token token={rotate.done.token} environment={key.environment} onKept={rotate.reset} />;
	}
	const isOver = key.state === "revoked" || key.state === "expired";
	const sure = { rotate: () => rotate.run({ params, body: {} }), revoke: () => revoke.run({ params, body: {} }) };
	const act = async (verb: "rotate" | "revoke"): Promise<void> => {
		await sure[verb]();
		setAsks(null);
	};
	return (
		<>
			<Problem error={rotate.error ?? suspend.error ?? resume.error ?? revoke.error} />
			{isOver ? null : (
				<div className="buttons">
					<button type="button" onClick={() => setAsks("rotate")}>
						{words.keys.rotate}
					</button>
					{key.state === "suspended" ? (
						<button type="button" disabled={resume.isBusy} onClick={() => void resume.run({ params, body: {} })}>
							{words.keys.resume}
						</button>
					) : (
						<button type="button" disabled={suspend.isBusy} onClick={() => void suspend.run({ params, body: {} })}>
							{words.keys.suspend}
						</button>
					)}
					<button type="button" className="bad" onClick={() => setAsks("revoke")}>
						{words.keys.revoke}
					</button>
				</div>
			)}
			{asks === null ? null : (
				<Dialog title={words.keys[asks]} onClose={() => setAsks(null)}>
					<p>{asks === "rotate" ? words.keys.rotateHint : words.keys.revokeHint}</p>
					<div className="buttons">
						<button type="button" className="main" onClick={() => void act(asks)}>
							{words.keys[asks]}
						</button>
						<button type="button" onClick={() => setAsks(null)}>
							{words.cancel}
						</button>
					</div>
				</Dialog>
			)}
		</>
	);
}
