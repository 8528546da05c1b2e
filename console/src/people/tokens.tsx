import { type ReactNode, useState } from "react";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { type Asked, addressOf, type DataOf } from "../api/call.ts";
import { CopyText } from "../parts/copy.tsx";
import { Choice, Field, problemAt, textOf } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

const { role: ROLES } = FIELDS.mint_token;
const TONES = { active: "good", expired: "plain", revoked: "bad" } as const;
type Token = DataOf<"list_tokens">["items"][number];

/** The tokens of scripts. Only an admin may see them. */
export default function Tokens(): ReactNode {
	const [isMinting, setMinting] = useState(false);
	const [token, setToken] = useState<string | null>(null);
	const [revoking, setRevoking] = useState<Token | null>(null);
	const show = (minted: string): void => {
		setToken(minted);
		setMinting(false);
	};
	const mint = (
		<button type="button" className="main" onClick={() => setMinting(true)}>
			{words.tokens.mint}
		</button>
	);
	return (
		<Page title={words.tokens.title} actions={mint}>
			{token === null ? null : <NewToken token={token} onKept={() => setToken(null)} />}
			<p>{words.tokens.intro}</p>
			<List
				id="list_tokens"
				caption={words.tokens.title}
				keyOf={({ id }) => id}
				empty={{ title: words.tokens.empty, hint: words.tokens.emptyHint }}
				emptyFiltered={words.tokens.empty}
				columns={[
					{ head: words.tokens.name, cell: ({ name }) => name },
					{ head: words.tokens.role, cell: ({ role }) => role },
					{
						head: words.tokens.state,
						cell: ({ state }) => <State word={words.tokens.states[state]} tone={TONES[state]} />,
					},
					{ head: words.tokens.expires, cell: endOf },
					{ head: words.tokens.created, cell: ({ created_at }) => <Moment at={created_at} /> },
					{ head: words.tokens.by, cell: ({ created_by }) => created_by },
					{ head: words.tokens.id, cell: ({ id }) => <code>{id}</code> },
					{
						head: words.tokens.act,
						cell: (one) =>
							one.state !== "active" ? null : (
								<button type="button" className="bad" onClick={() => setRevoking(one)}>
									{words.tokens.revoke}
									<span className="unseen"> {one.name}</span>
								</button>
							),
					},
				]}
			/>
			{isMinting ? <MintToken onClose={() => setMinting(false)} onDone={show} /> : null}
			{revoking === null ? null : <RevokeToken of={revoking} onClose={() => setRevoking(null)} />}
		</Page>
	);
}

function endOf({ revoked_at, expires_at }: Token): ReactNode {
	const at = revoked_at ?? expires_at;
	return at === null ? words.tokens.never : <Moment at={at} />;
}

const RevokeToken = ({ of: { id, name }, onClose }: { of: Token; onClose: () => void }): ReactNode => (
	<WriteDialog
		id="revoke_token"
		title={words.tokens.revokeTitle(name)}
		send={words.tokens.revoke}
		asked={() => ({ params: { id } })}
		onClose={onClose}
	>
		{() => <p>{words.tokens.revokeHint}</p>}
	</WriteDialog>
);

interface MintProps {
	readonly onClose: () => void;
	readonly onDone: (token: string) => void;
}

const MintToken = ({ onClose, onDone }: MintProps): ReactNode => (
	<WriteDialog
		id="mint_token"
		title={words.tokens.mint}
		fields={["name", "role", "expires_at"]}
		asked={(form) => ({ body: bodyOf(form) })}
		onClose={onClose}
		onDone={({ token }) => onDone(token)}
	>
		{(error) => (
			<>
				<Field
					label={words.tokens.name}
					hint={words.tokens.nameHint}
					name="name"
					maxLength={100}
					problem={problemAt(error, "name")}
					autoComplete="off"
					required
				/>
				<Choice
					label={words.tokens.role}
					name="role"
					problem={problemAt(error, "role")}
					options={ROLES.map((role) => [role, words.roles[role]] as const)}
				/>
				<Field
					label={words.tokens.expiresField}
					hint={words.tokens.expiresHint}
					name="expires_on"
					type="date"
					problem={problemAt(error, "expires_at")}
				/>
			</>
		)}
	</WriteDialog>
);

function bodyOf(form: FormData): NonNullable<Asked<"mint_token">["body"]> {
	const day = textOf(form, "expires_on");
	return {
		name: textOf(form, "name")?.trim() ?? "",
		role: ROLES.find((role) => role === textOf(form, "role")) ?? "viewer",
		// the end of the day in the reader's time zone
		...(day === undefined ? {} : { expires_at: new Date(`${day}T23:59:59`).toISOString() }),
	};
}

/** A token that is shown only now, with a line that uses it. */
const NewToken = ({ token, onKept }: { token: string; onKept: () => void }): ReactNode => (
	<section className="card">
		<h2>{words.tokens.token}</h2>
		<p>{words.tokens.tokenHint}</p>
		<CopyText label={words.tokens.tokenLabel} text={token} />
		<CopyText
			label={words.tokens.useLabel}
			text={`curl -sS ${location.origin}${addressOf("get_overview", {})} -H 'Authorization: Bearer ${token}'`}
		/>
		<button type="button" className="main" onClick={onKept}>
			{words.tokens.kept}
		</button>
	</section>
);
