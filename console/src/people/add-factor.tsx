import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { words } from "../app/words.ts";
import { CopyText } from "../parts/copy.tsx";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";

/** Adds an authenticator app: its secret, its first code, and with the first factor ten recovery codes. */
export default function AddFactor({ isRequired = false }: { isRequired?: boolean }): ReactNode {
	const client = useQueryClient();
	const add = useWrite("add_totp");
	const confirm = useWrite("confirm_totp");
	const [codes, setCodes] = useState<readonly string[] | null>(null);
	const begin = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void add.run({ body: { name: textOf(new FormData(event.currentTarget), "name") ?? "" } });
	};
	const finish = async (event: FormEvent<HTMLFormElement>, { id }: DataOf<"add_totp">): Promise<void> => {
		event.preventDefault();
		const one_time_code = textOf(new FormData(event.currentTarget), "code")?.replaceAll(" ", "") ?? "";
		const done = await confirm.run({ params: { id }, body: { one_time_code } });
		if (done === null) return;
		if (done.recovery_codes === null) leave();
		else setCodes(done.recovery_codes);
	};
	const leave = (): void => {
		add.reset();
		setCodes(null);
		void client.resetQueries();
	};
	if (codes !== null) return <RecoveryCodes codes={codes} onKept={leave} />;
	return (
		<section>
			<h2>{words.factor.title}</h2>
			{isRequired ? <p>{words.factor.required}</p> : null}
			<Problem error={add.error} />
			{add.done === undefined ? (
				<form onSubmit={begin}>
					<Field label={words.factor.device} name="name" defaultValue="phone" maxLength={100} required />
					<button type="submit" className="main" disabled={add.isBusy}>
						{words.factor.begin}
					</button>
				</form>
			) : (
				<form onSubmit={(event) => void finish(event, add.done as DataOf<"add_totp">)}>
					<p>{words.factor.scan}</p>
					<CopyText label={words.factor.secret} text={add.done.secret} />
					<CopyText label={words.factor.address} text={add.done.otpauth_url} />
					<Field
						label={words.factor.code}
						name="code"
						inputMode="numeric"
						autoComplete="one-time-code"
						problem={problemAt(confirm.error, "one_time_code")}
						required
						autoFocus
					/>
					<button type="submit" className="main" disabled={confirm.isBusy}>
						{words.factor.confirm}
					</button>
				</form>
			)}
		</section>
	);
}

/** Recovery codes, which are shown only once. */
export const RecoveryCodes = ({ codes, onKept }: { codes: readonly string[]; onKept: () => void }): ReactNode => (
	<section>
		<h2>{words.factor.codes}</h2>
		<p>{words.factor.codesHint}</p>
		<CopyText label={words.factor.codes} text={codes.join("\n")} />
		<button type="button" className="main" onClick={onKept}>
			{words.factor.codesKept}
		</button>
	</section>
);
