import { type FormEvent, type ReactNode, useState } from "react";
import { useRead, useWrite } from "../api/use.ts";
import { signOut } from "../app/shell.tsx";
import { Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Table } from "../parts/list.tsx";
import { Facts, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import AddFactor, { RecoveryCodes } from "./add-factor.tsx";

/** One's own account: second factors, sessions, password. */
export default function Account(): ReactNode {
	const { data: me } = useRead("get_me");
	return (
		<Page
			title={words.account.title}
			actions={
				<button type="button" onClick={() => void signOut()}>
					{words.signIn.signOut}
				</button>
			}
		>
			{me === undefined ? null : (
				<Facts
					facts={[
						[words.people.name, me.name],
						[words.account.role, words.roles[me.role]],
					]}
				/>
			)}
			<Factors />
			<Sessions />
			<Password />
		</Page>
	);
}

function Factors(): ReactNode {
	const { data, error } = useRead("list_my_factors");
	const remove = useWrite("remove_my_factor");
	const renew = useWrite("renew_recovery_codes");
	const [codes, setCodes] = useState<readonly string[] | null>(null);
	if (codes !== null) return <RecoveryCodes codes={codes} onKept={() => setCodes(null)} />;
	return (
		<>
			<h2>{words.account.factors}</h2>
			<Problem error={error ?? remove.error ?? renew.error} />
			{data === undefined ? (
				<Loading />
			) : data.items.length === 0 ? (
				<p>{words.account.noFactor}</p>
			) : (
				<>
					<ul className="plain">
						{data.items.map(({ id, kind, name, used_at }) => (
							<li key={id}>
								<span className="strong">{name}</span> {words.factor.kinds[kind]} <Moment at={used_at} />{" "}
								<button type="button" disabled={remove.isBusy} onClick={() => void remove.run({ params: { id } })}>
									{words.factor.remove}
								</button>
							</li>
						))}
					</ul>
					<p>
						{words.factor.left(data.recovery_codes_left)}{" "}
						<button
							type="button"
							disabled={renew.isBusy}
							onClick={() => void renew.run({}).then((made) => setCodes(made?.recovery_codes ?? null))}
						>
							{words.factor.renew}
						</button>
					</p>
				</>
			)}
			<AddFactor />
		</>
	);
}

function Sessions(): ReactNode {
	const { data, error } = useRead("list_my_sessions");
	const end = useWrite("end_my_session");
	return (
		<>
			<h2>{words.account.sessions}</h2>
			<Problem error={error ?? end.error} />
			{data === undefined ? null : (
				<Table
					caption={words.account.sessions}
					rows={data.items}
					keyOf={({ id }) => id}
					columns={[
						{ head: "Browser", cell: ({ user_agent }) => user_agent },
						{ head: "Address", cell: ({ address }) => address },
						{ head: "Signed in", cell: ({ signed_in_at }) => <Moment at={signed_in_at} /> },
						{ head: "Last used", cell: ({ seen_at }) => <Moment at={seen_at} /> },
						{
							head: words.account.end,
							cell: ({ id, current }) =>
								current ? (
									words.account.current
								) : (
									<button type="button" disabled={end.isBusy} onClick={() => void end.run({ params: { id } })}>
										{words.account.end}
									</button>
								),
						},
					]}
				/>
			)}
		</>
	);
}

const PASSWORD_FIELDS = ["password", "current_password"];

function Password(): ReactNode {
	const { run, isBusy, error, done } = useWrite("change_me");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const element = event.currentTarget;
		const form = new FormData(element);
		const body = { password: textOf(form, "password"), current_password: textOf(form, "current_password") };
		if ((await run({ body: body as { password: string; current_password: string } })) !== null) element.reset();
	};
	return (
		<>
			<h2>{words.account.password}</h2>
			<form onSubmit={(event) => void submit(event)}>
				{isAboutFields(error, PASSWORD_FIELDS) ? null : <Problem error={error} />}
				{done === undefined || error !== null ? null : <p role="status">{words.account.changed}</p>}
				<Field
					label={words.account.currentPassword}
					name="current_password"
					type="password"
					autoComplete="current-password"
					problem={problemAt(error, "current_password")}
					required
				/>
				<Field
					label={words.account.newPassword}
					hint={words.setUp.passwordHint}
					name="password"
					type="password"
					autoComplete="new-password"
					problem={problemAt(error, "password")}
					required
				/>
				<button type="submit" disabled={isBusy}>
					{words.save}
				</button>
			</form>
		</>
	);
}
