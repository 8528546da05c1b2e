import { type FormEvent, type ReactNode, useState } from "react";
import { useWrite } from "../api/use.ts";
import { CopyText } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Choice, Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { Page, Problem, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const TONES = { active: "good", invited: "plain", suspended: "bad" } as const;

/** Everybody who may sign in. */
export default function People(): ReactNode {
	const [isInviting, setInviting] = useState(false);
	const change = useWrite("change_person");
	return (
		<Page
			title={words.people.title}
			actions={
				<button type="button" className="main" onClick={() => setInviting(true)}>
					{words.people.invite}
				</button>
			}
		>
			<Problem error={change.error} />
			<List
				id="list_people"
				caption={words.people.title}
				keyOf={({ name }) => name}
				empty={{ title: words.people.empty, hint: words.people.emptyHint }}
				emptyFiltered={words.people.empty}
				columns={[
					{ head: words.people.name, cell: ({ name }) => name },
					{ head: words.people.role, cell: ({ role }) => role },
					{
						head: words.people.state,
						cell: ({ state }) => <State word={words.people.states[state]} tone={TONES[state]} />,
					},
					{ head: words.people.email, cell: ({ email }) => email },
					{
						head: words.people.suspend,
						cell: ({ name, state }) => (
							<button
								type="button"
								disabled={change.isBusy}
								onClick={() =>
									void change.run({
										params: { name },
										body: { state: state === "suspended" ? "active" : "suspended" },
									})
								}
							>
								{state === "suspended" ? words.people.resume : words.people.suspend}
								<span className="unseen"> {name}</span>
							</button>
						),
					},
				]}
			/>
			{isInviting ? <Invite onClose={() => setInviting(false)} /> : null}
		</Page>
	);
}

const ROLES = ["viewer", "warehouse", "operator", "admin"] as const;
const FIELDS = ["name", "role", "email"];

function Invite({ onClose }: { onClose: () => void }): ReactNode {
	const { run, isBusy, error, done } = useWrite("invite_person");
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const role = (textOf(form, "role") ?? "viewer") as (typeof ROLES)[number];
		const email = textOf(form, "email");
		const body = { name: textOf(form, "name") ?? "", role };
		void run({ body: email === undefined ? body : { ...body, email } });
	};
	return (
		<Dialog title={words.people.invite} onClose={onClose}>
			{done === undefined ? (
				<form onSubmit={submit}>
					{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
					<Field
						label={words.people.name}
						hint={words.setUp.nameHint}
						name="name"
						problem={problemAt(error, "name")}
						required
					/>
					<Choice
						label={words.people.role}
						name="role"
						options={ROLES.map((role) => [role, words.roles[role]] as const)}
					/>
					<Field label={words.people.email} name="email" type="email" problem={problemAt(error, "email")} />
					<Buttons send={words.people.invite} isBusy={isBusy} leave={words.cancel} onLeave={onClose} />
				</form>
			) : (
				<>
					<p>{words.people.linkHint}</p>
					<CopyText label={words.people.link} text={done.link} />
					<button type="button" onClick={onClose}>
						{words.close}
					</button>
				</>
			)}
		</Dialog>
	);
}
