import { type ReactNode, useState } from "react";
import type { DataOf } from "../api/call.ts";
import type { Me } from "../app/roles.ts";
import { CopyText } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field, problemAt, textOf } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { isLocal } from "../parts/local.ts";
import { Page, State } from "../parts/page.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

const TONES = { active: "good", invited: "plain", suspended: "bad" } as const;

type Person = DataOf<"list_people">["items"][number];
type Doing = { readonly verb: "change" | "suspend" | "newLink"; readonly of: Person };

/** Everybody who may sign in. */
export default function People({ me }: { me: Me }): ReactNode {
	const [isInviting, setInviting] = useState(false);
	const [doing, setDoing] = useState<Doing | null>(null);
	const close = (): void => setDoing(null);
	return (
		<Page
			title={words.people.title}
			actions={
				<button type="button" className="main" onClick={() => setInviting(true)}>
					{words.people.invite}
				</button>
			}
		>
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
						head: words.people.change,
						// nobody suspends themselves or gives up their own role
						cell: (person) => (person.name === me.name ? null : <Verbs of={person} onDo={setDoing} />),
					},
				]}
			/>
			{isInviting ? <Invite onClose={() => setInviting(false)} /> : null}
			{doing?.verb === "change" ? <ChangeRole of={doing.of} onClose={close} /> : null}
			{doing?.verb === "suspend" ? <Suspend of={doing.of} onClose={close} /> : null}
			{doing?.verb === "newLink" ? <Invite again={doing.of} onClose={close} /> : null}
		</Page>
	);
}

const Verbs = ({ of, onDo }: { of: Person; onDo: (doing: Doing) => void }): ReactNode => (
	<div className="actions">
		{(["change", "newLink", "suspend"] as const).map((verb) => (
			<button key={verb} type="button" onClick={() => onDo({ verb, of })}>
				{verb === "suspend" && of.state === "suspended" ? words.people.resume : words.people[verb]}
				<span className="unseen"> {of.name}</span>
			</button>
		))}
	</div>
);

const ChangeRole = ({ of: { name, role }, onClose }: { of: Person; onClose: () => void }): ReactNode => (
	<WriteDialog
		id="change_person"
		title={`${words.people.change}: ${name}`}
		send={words.save}
		fields={["role"]}
		asked={(form) => ({ params: { name }, body: { role: roleIn(form), ...reasonIn(form) } })}
		onClose={onClose}
	>
		{(error) => (
			<>
				<Choice
					label={words.people.role}
					name="role"
					defaultValue={role}
					problem={problemAt(error, "role")}
					options={ROLES.map((one) => [one, words.roles[one]] as const)}
				/>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);

function Suspend({ of: { name, state }, onClose }: { of: Person; onClose: () => void }): ReactNode {
	const isSuspended = state === "suspended";
	const verb = isSuspended ? words.people.resume : words.people.suspend;
	return (
		<WriteDialog
			id="change_person"
			title={`${verb}: ${name}`}
			send={verb}
			asked={(form) => {
				const state = isSuspended ? ("active" as const) : ("suspended" as const);
				return { params: { name }, body: { state, ...reasonIn(form) } };
			}}
			onClose={onClose}
		>
			{() => (
				<>
					{isSuspended ? null : <p>{words.people.suspendHint}</p>}
					<ReasonField />
				</>
			)}
		</WriteDialog>
	);
}

const ROLES = ["viewer", "warehouse", "operator", "admin"] as const;
const FIELDS = ["name", "role", "email"];

const roleIn = (form: FormData): (typeof ROLES)[number] =>
	ROLES.find((role) => role === textOf(form, "role")) ?? "viewer";

/** Makes a set-up link: for a new person, or for one who can no longer sign in. */
function Invite({ again, onClose }: { again?: Person; onClose: () => void }): ReactNode {
	const [link, setLink] = useState<string | null>(null);
	const title = again === undefined ? words.people.invite : `${words.people.newLink}: ${again.name}`;
	if (link !== null) {
		return (
			<Dialog title={title} onClose={onClose}>
				<p>{words.people.linkHint}</p>
				{isLocal(link) ? <p className="wrong">{words.people.linkHere}</p> : null}
				<CopyText label={words.people.link} text={link} />
				<button type="button" onClick={onClose}>
					{words.close}
				</button>
			</Dialog>
		);
	}
	return (
		<WriteDialog
			id="invite_person"
			title={title}
			fields={FIELDS}
			asked={(form) => {
				if (again !== undefined) return { body: { name: again.name, role: again.role } };
				const email = textOf(form, "email");
				const body = { name: textOf(form, "name") ?? "", role: roleIn(form) };
				return { body: email === undefined ? body : { ...body, email } };
			}}
			onClose={onClose}
			onDone={(done) => setLink(done.link)}
		>
			{(error) => (again === undefined ? <NewPerson error={error} /> : <p>{words.people.newLinkHint}</p>)}
		</WriteDialog>
	);
}

const NewPerson = ({ error }: { error: Error | null }): ReactNode => (
	<>
		<Field
			label={words.people.name}
			hint={words.setUp.nameHint}
			name="name"
			problem={problemAt(error, "name")}
			required
		/>
		<Choice label={words.people.role} name="role" options={ROLES.map((role) => [role, words.roles[role]] as const)} />
		<Field label={words.people.email} name="email" type="email" problem={problemAt(error, "email")} />
	</>
);
