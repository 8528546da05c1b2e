import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { call, type DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Loading, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const FIELDS = ["name", "password"];

/** The page of a set-up link. The token is in the fragment, which no server or log receives. */
export default function SetUp(): ReactNode {
	const [token] = useState(() => location.hash.slice(1));
	const [invitation, setInvitation] = useState<DataOf<"find_invitation"> | null>(null);
	const [error, setError] = useState<Error | null>(token === "" ? new Error(words.setUp.noLink) : null);
	useEffect(() => {
		if (token !== "") call("find_invitation", { body: { token } }).then(setInvitation, setError);
	}, [token]);
	return (
		<main className="alone">
			<Problem error={error} />
			{invitation === null && error === null ? <Loading /> : null}
			{invitation === null ? null : <SetUpForm token={token} invitation={invitation} />}
		</main>
	);
}

function SetUpForm({ token, invitation }: { token: string; invitation: DataOf<"find_invitation"> }): ReactNode {
	const { name, may_choose_name: mayChooseName } = invitation;
	const client = useQueryClient();
	const navigate = useNavigate();
	const { run, isBusy, error } = useWrite("set_up");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const body = { token, password: textOf(form, "password") ?? "" };
		const chosen = mayChooseName ? textOf(form, "name") : undefined;
		const done = await run({ body: chosen === undefined ? body : { ...body, name: chosen } });
		if (done === null) return;
		document.documentElement.dataset.cookie = "yes"; // the page was sent before there was a cookie
		await client.resetQueries();
		await navigate("/", { replace: true });
	};
	return (
		<>
			<h1>{mayChooseName ? words.setUp.first : words.setUp.title(name)}</h1>
			<p>{words.setUp.intro}</p>
			<form onSubmit={(event) => void submit(event)}>
				{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
				{mayChooseName ? (
					<Field
						label={words.setUp.name}
						hint={words.setUp.nameHint}
						name="name"
						autoComplete="username"
						defaultValue={name}
						problem={problemAt(error, "name")}
						required
					/>
				) : (
					<input type="hidden" name="username" autoComplete="username" value={name} readOnly />
				)}
				<Field
					label={words.setUp.password}
					hint={words.setUp.passwordHint}
					name="password"
					type="password"
					autoComplete="new-password"
					problem={problemAt(error, "password")}
					required
				/>
				<button type="submit" className="main" disabled={isBusy}>
					{words.setUp.submit}
				</button>
			</form>
		</>
	);
}
