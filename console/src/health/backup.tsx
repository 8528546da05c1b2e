import { type FormEvent, type ReactNode, useState } from "react";
import { useFile } from "../api/file.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { sizeText } from "../parts/size.ts";
import { words } from "../words/words.ts";

/** Minimum number of characters of a passphrase. */
const SHORTEST_PASSPHRASE = 12;

/** Makes a backup, which the browser saves once it is whole. */
export function Backup(): ReactNode {
	const { save, isBusy, error } = useFile("make_backup", "application/x-tar");
	const [bytes, setBytes] = useState<number | null>(null);
	const make = async (passphrase: string | undefined): Promise<void> => {
		setBytes(null);
		const name = words.health.backupName(new Date().toISOString().replaceAll(":", "-"));
		const file = await save({ body: passphrase === undefined ? {} : { passphrase } }, name);
		setBytes(file?.size ?? null);
	};
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void make(textOf(new FormData(event.currentTarget), "passphrase"));
	};
	const problem = problemAt(error, "passphrase");
	return (
		<section>
			<h2>{words.health.backup}</h2>
			<p>{words.health.backupHint}</p>
			<form onSubmit={submit}>
				{problem === null ? <Problem error={error} /> : null}
				<Field
					label={words.health.passphrase}
					hint={words.health.passphraseHint}
					name="passphrase"
					type="password"
					minLength={SHORTEST_PASSPHRASE}
					maxLength={1000}
					autoComplete="new-password"
					problem={problem}
				/>
				<button type="submit" disabled={isBusy}>
					{words.health.makeBackup}
				</button>
			</form>
			{isBusy ? (
				<p role="status">
					<progress aria-label={words.health.makeBackup} /> {words.health.makingBackup}
				</p>
			) : null}
			{bytes === null ? null : (
				<p role="status" className="good">
					{words.health.backupDone(sizeText(bytes))}
				</p>
			)}
		</section>
	);
}
