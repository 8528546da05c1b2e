import { type ReactNode, useState } from "react";
import { hasRole, type Me } from "../app/roles.ts";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { Finish } from "./finish.tsx";
import type { GoLive } from "./golive.tsx";

const STEPS = ["drill", "messages", "retirement"] as const;
type Step = (typeof STEPS)[number];
const HINTS = {
	drill: words.golive.drillHint,
	messages: words.golive.messagesHint,
	retirement: words.golive.retirementHint,
};

type Asked = Step | "stopDrill" | "stop" | "finish";

/** What can be done with a run. `onFinishing`: the key that is shown once must stay, although the run has ended. */
export function Actions(props: { of: GoLive; me: Me; onFinishing: (is: boolean) => void }): ReactNode {
	const { of: run, me, onFinishing } = props;
	const [asks, setAsks] = useState<Asked | null>(null);
	const isUnderWay = {
		drill: run.drill_until !== null,
		messages: run.messages_pending,
		retirement: run.retirement_pending,
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
			{asks === "stop" || asks === "stopDrill" ? <Stop id={run.golive_id} what={asks} onClose={leave} /> : null}
			{asks === "drill" || asks === "messages" || asks === "retirement" ? (
				<Start id={run.golive_id} what={asks} onClose={leave} />
			) : null}
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

const Stop = ({ id, what, onClose }: { id: string; what: "stop" | "stopDrill"; onClose: () => void }): ReactNode => (
	<WriteDialog
		id="stop_golive"
		title={words.golive[what]}
		asked={(form) => ({
			params: { id },
			body: { what: what === "stop" ? ("run" as const) : ("drill" as const), ...reasonIn(form) },
		})}
		onClose={onClose}
	>
		{() => (
			<>
				<p>{what === "stop" ? words.golive.stopHint : words.golive.stopDrillHint}</p>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);
