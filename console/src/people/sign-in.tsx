import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { CallError, call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { knowsPasskeys, PasskeyNotGiven, signInByPasskey } from "./passkey.ts";
import { hasProvider, leaveForProvider, signInBeside } from "./provider.ts";

/** The page of somebody who is not signed in. */
export function SignInPage({ onDone }: { onDone: () => void }): ReactNode {
	useEffect(() => {
		document.title = `${words.signIn.title} · ${words.name}`;
	}, []);
	return (
		<main className="alone">
			<h1>{words.signIn.title}</h1>
			<SignInForm onDone={onDone} />
			<p className="quiet">{words.signIn.lost}</p>
		</main>
	);
}

/** The kinds of second factors that a person has; null: not known. */
export type Factors = ReadonlySet<string> | null;

/** Asks a person to sign in again over the page that they work on. */
export function SignInDialog(props: {
	name: string;
	why: "ended" | "stale";
	factors: Factors;
	onDone: (done: boolean) => void;
}): ReactNode {
	const { name, why, factors, onDone } = props;
	return (
		<Dialog title={words.signIn.title} onClose={() => onDone(false)}>
			<p>{words.signIn[why]}</p>
			<SignInForm {...{ name, factors }} onDone={() => onDone(true)} onCancel={() => onDone(false)} />
		</Dialog>
	);
}

async function besideThisPage(): Promise<void> {
	if (!(await signInBeside())) throw new Error(words.signIn.noProvider);
}

interface SignInFormProps {
	/** Given: only this person signs in. */
	readonly name?: string;
	readonly factors?: Factors;
	readonly onDone: () => void;
	readonly onCancel?: () => void;
}

function SignInForm({ name, factors = null, onDone, onCancel }: SignInFormProps): ReactNode {
	const [needsCode, setNeedsCode] = useState(factors?.has("totp") ?? false);
	const [isBusy, setBusy] = useState(false);
	const [error, setError] = useState<Error | null>(null);
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const code = textOf(form, "code");
		const body = { name: name ?? textOf(form, "name") ?? "", password: textOf(form, "password") ?? "" };
		setBusy(true);
		call("sign_in", { body: code === undefined ? body : { ...body, code } })
			.then(onDone, (refused: unknown) => {
				const isCode = refused instanceof CallError && refused.code === "second_factor_needed";
				setNeedsCode(needsCode || isCode);
				setError(refused as Error);
			})
			.finally(() => setBusy(false));
	};
	const use = (way: () => Promise<void>): void => {
		setBusy(true);
		way()
			.then(onDone, (refused: unknown) =>
				setError(refused instanceof PasskeyNotGiven ? new Error(words.signIn.noPasskey) : (refused as Error)),
			)
			.finally(() => setBusy(false));
	};
	return (
		<form onSubmit={submit}>
			<Problem error={error} />
			{name === undefined ? (
				<Field label={words.signIn.name} name="name" autoComplete="username" required autoFocus />
			) : (
				<Field label={words.signIn.name} name="shown" autoComplete="username" value={name} readOnly />
			)}
			<Field
				label={words.signIn.password}
				name="password"
				type="password"
				autoComplete="current-password"
				required
				autoFocus={name !== undefined}
			/>
			{needsCode ? (
				<Field
					label={words.signIn.code}
					name="code"
					autoComplete="one-time-code"
					required
					autoFocus={!factors?.has("totp")}
				/>
			) : null}
			<div className="buttons">
				<button type="submit" className="main" disabled={isBusy}>
					{words.signIn.submit}
				</button>
				{knowsPasskeys() && (factors?.has("passkey") ?? true) ? (
					<button type="button" disabled={isBusy} onClick={() => use(signInByPasskey)}>
						{words.signIn.passkey}
					</button>
				) : null}
				{hasProvider() ? (
					<button
						type="button"
						disabled={isBusy}
						onClick={() => (name === undefined ? void leaveForProvider().catch(setError) : use(besideThisPage))}
					>
						{words.signIn.provider}
					</button>
				) : null}
				{onCancel === undefined ? null : (
					<button type="button" onClick={onCancel}>
						{words.cancel}
					</button>
				)}
			</div>
		</form>
	);
}
