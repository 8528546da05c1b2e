import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { useWrite } from "../api/use.ts";
import { Problem } from "../parts/page.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { ENDPOINT_FIELDS, EndpointFields, endpointIn } from "./endpoint-fields.tsx";
import type { Endpoint } from "./endpoint-state.tsx";
import { RecoverDialog } from "./recover.tsx";
import { RotateDialog } from "./rotate-secret.tsx";
import { EndpointSecret } from "./secret.tsx";

type Doing = "change" | "pause" | "resume" | "rotate" | "recover" | "remove";

/** What can be done with an endpoint. A new secret is shown here, once. */
export function EndpointActions({ of: one }: { of: Endpoint }): ReactNode {
	const [doing, setDoing] = useState<Doing | null>(null);
	const [secret, setSecret] = useState<string | null>(null);
	const [recovered, setRecovered] = useState<number | null>(null);
	const test = useWrite("test_endpoint");
	const params = { id: one.endpoint_id };
	const close = (): void => setDoing(null);
	const keep =
		<T,>(set: (value: T) => void) =>
		(value: T): void => {
			set(value);
			close();
		};
	if (secret !== null) return <EndpointSecret secret={secret} onKept={() => setSecret(null)} />;
	const isActive = one.status === "active";
	const verbs: readonly Doing[] = isActive
		? ["change", "pause", "rotate", "recover", "remove"]
		: ["resume", "change", "rotate", "remove"];
	return (
		<>
			<Problem error={test.error} />
			{test.done === undefined ? null : <p role="status">{words.endpoint.tested(test.done.event_id)}</p>}
			{recovered === null ? null : <p role="status">{words.endpoint.recovered(recovered)}</p>}
			<div className="buttons spaced">
				{isActive ? (
					<button type="button" className="main" disabled={test.isBusy} onClick={() => void test.run({ params })}>
						{words.endpoint.test}
					</button>
				) : null}
				{verbs.map((verb) => (
					<button
						key={verb}
						type="button"
						className={verb === "remove" ? "bad" : undefined}
						onClick={() => setDoing(verb)}
					>
						{words.endpoint[verb]}
					</button>
				))}
			</div>
			{doing === "change" ? <ChangeEndpoint of={one} onClose={close} /> : null}
			{doing === "pause" || doing === "resume" ? <SwitchDialog of={one} verb={doing} onClose={close} /> : null}
			{doing === "rotate" ? <RotateDialog id={one.endpoint_id} onClose={close} onDone={keep(setSecret)} /> : null}
			{doing === "recover" ? <RecoverDialog id={one.endpoint_id} onClose={close} onDone={keep(setRecovered)} /> : null}
			{doing === "remove" ? <RemoveDialog of={one} onClose={close} /> : null}
		</>
	);
}

interface EndpointDialogProps {
	readonly of: Endpoint;
	readonly onClose: () => void;
}

const ChangeEndpoint = ({ of: one, onClose }: EndpointDialogProps): ReactNode => (
	<WriteDialog
		id="change_endpoint"
		title={words.endpoint.change}
		send={words.save}
		fields={ENDPOINT_FIELDS}
		replaces={{ read: "get_endpoint", params: { id: one.endpoint_id }, shown: one }}
		asked={(form) => ({ params: { id: one.endpoint_id }, body: { ...endpointIn(form), ...reasonIn(form) } })}
		onClose={onClose}
	>
		{(error) => (
			<>
				<EndpointFields of={one} error={error} />
				<ReasonField />
			</>
		)}
	</WriteDialog>
);

const SwitchDialog = ({ of: one, verb, onClose }: EndpointDialogProps & { verb: "pause" | "resume" }): ReactNode => (
	<WriteDialog
		id={verb === "pause" ? "pause_endpoint" : "resume_endpoint"}
		title={words.endpoint[verb]}
		asked={(form) => ({ params: { id: one.endpoint_id }, body: reasonIn(form) })}
		onClose={onClose}
	>
		{() => (
			<>
				<p>{verb === "pause" ? words.endpoint.pauseHint : words.endpoint.resumeHint}</p>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);

function RemoveDialog({ of: one, onClose }: EndpointDialogProps): ReactNode {
	const navigate = useNavigate();
	return (
		<WriteDialog
			id="delete_endpoint"
			title={words.endpoint.remove}
			asked={() => ({ params: { id: one.endpoint_id } })}
			onClose={onClose}
			onDone={() => void navigate("/webhooks", { replace: true })}
		>
			{() => (
				<>
					<p className="strong">{one.url}</p>
					<p>{words.endpoint.removeHint}</p>
				</>
			)}
		</WriteDialog>
	);
}
