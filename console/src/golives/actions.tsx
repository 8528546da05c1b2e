import { type ReactNode, useState } from "react";
import { hasRole, type Me } from "../app/roles.ts";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { Finish } from "./finish.tsx";
import type { GoLive } from "./golive.tsx";

const STEPS = ["drill", "messages", "retirement", "unkind"] as const;
type Step = (typeof STEPS)[number];
const HINTS = {
	drill: words.golive.drillHint,
	messages: words.golive.messagesHint,
	retirement: words.golive.retirementHint,
	unkind: words.golive.unkindHint,
};

type Ending = "stop" | "stopDrill" | "stopUnkind";
type Asked = Step | Ending | "finish";
/** What each of these actions ends. */
const ENDS = { stop: "run", stopDrill: "drill", stopUnkind: "unkind" } as const;
const END_HINTS = {
	stop: words.golive.stopHint,
	stopDrill: words.golive.stopDrillHint,
	stopUnkind: words.golive.stopUnkindHint,
};
const isStep = (asks: Asked | null): asks is Step => (STEPS as readonly (string | null)[]).includes(asks);
const isEnding = (asks: Asked | null): asks is Ending => asks !== null && asks in ENDS;

/**
 * What can be done with a run. `onFinishing` says that the new key is shown: it must stay on the page, although the run
 * has ended.
 */
export function Actions(props: { of: GoLive; me: Me; onFinishing: (is: boolean) => void }): ReactNode {
	const { of: run, me, onFinishing } = props;
	const [asks, setAsks] = useState<Asked | null>(null);
	const isUnderWay = {
		drill: run.drill_until !== null,
		messages: run.messages_pending,
		retirement: run.retirement_pending,
		unkind: run.unkind_until !== null,
	};
	const ask = (what: Asked | null): void => {
		setAsks(what);
		onFinishing(what === "finish");
	};
	const leave = (): void => ask(null);
	return (
		<>
			{run.state === "running" ? (
				<div className="buttons">
					{STEPS.map((step) => (
						<button key={step} type="button" disabled={isUnderWay[step]} onClick={() => ask(step)}>
							{words.golive[step]}
						</button>
					))}
					{isUnderWay.drill ? (
						<button type="button" onClick={() => ask("stopDrill")}>
							{words.golive.stopDrill}
						</button>
					) : null}
					{isUnderWay.unkind ? (
						<button type="button" onClick={() => ask("stopUnkind")}>
							{words.golive.stopUnkind}
						</button>
					) : null}
					<button type="button" className="bad" onClick={() => ask("stop")}>
						{words.golive.stop}
					</button>
					{hasRole(me, "admin") && run.passed ? (
						<button type="button" className="main" onClick={() => ask("finish")}>
							{words.golive.finish}
						</button>
					) : null}
				</div>
			) : null}
			{asks === "finish" ? <Finish id={run.golive_id} onClose={leave} /> : null}
			{isEnding(asks) ? <Stop id={run.golive_id} what={asks} onClose={leave} /> : null}
			{isStep(asks) ? <Start id={run.golive_id} what={asks} onClose={leave} /> : null}
		</>
	);
}

const Start = ({ id, what, onClose }: { id: string; what: Step; onClose: () => void }): ReactNode => (
	<WriteDialog
		id="drill_golive"
		title={words.golive[what]}
		asked={(form) => ({ params: { id }, body: { what, ...reasonIn(form) } })}
		onClose={onClose}
	>
		{() => (
			<>
				<p>{HINTS[what]}</p>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);

const Stop = ({ id, what, onClose }: { id: string; what: Ending; onClose: () => void }): ReactNode => (
	<WriteDialog
		id="stop_golive"
		title={words.golive[what]}
		asked={(form) => ({ params: { id }, body: { what: ENDS[what], ...reasonIn(form) } })}
		onClose={onClose}
	>
		{() => (
			<>
				<p>{END_HINTS[what]}</p>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);
