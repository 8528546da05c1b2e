import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { CopyText } from "../parts/copy.tsx";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { isLocal } from "../parts/local.ts";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { addPasskey, knowsPasskeys, PasskeyNotGiven } from "./passkey.ts";

interface AddFactorProps {
	readonly isRequired?: boolean;
	/** Called when the factor is added, and its recovery codes were kept. */
	readonly onDone?: () => void;
}

/** Adds a passkey or an authenticator app. With the first factor come ten recovery codes. */
export default function AddFactor({ isRequired = false, onDone }: AddFactorProps): ReactNode {
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
		onDone?.();
		void client.resetQueries();
	};
	if (codes !== null) return <RecoveryCodes codes={codes} onKept={leave} />;
	return (
		<>
			{isRequired ? <p className="strong">{words.factor.required}</p> : null}
			<AddPasskey onAdded={(made) => (made === null ? leave() : setCodes(made))} />
			<section>
				<h2>{words.factor.title}</h2>
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
						<img className="qr" alt={words.factor.qr} src={`data:image/svg+xml;base64,${btoa(add.done.qr_svg)}`} />
						<CopyText label={words.factor.secret} text={add.done.secret} />
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
		</>
	);
}

/** Adds a passkey, with which one signs in without a password. */
function AddPasskey({ onAdded }: { onAdded: (codes: readonly string[] | null) => void }): ReactNode {
	const [isBusy, setBusy] = useState(false);
	const [isAdded, setAdded] = useState(false);
	const [error, setError] = useState<Error | null>(null);
	if (!knowsPasskeys()) return null;
	// browsers allow passkeys on this machine only under this name
	if (isLocal(location.href) && location.hostname !== "localhost") {
		const there = `${location.protocol}//localhost:${location.port}/admin/account`;
		return (
			<section>
				<h2>{words.factor.passkey}</h2>
				<p>{words.factor.passkeyThere}</p>
				<p>
					<a href={there}>{there}</a>
				</p>
			</section>
		);
	}
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		setBusy(true);
		setError(null);
		addPasskey(textOf(new FormData(event.currentTarget), "name") ?? "")
			.then(
				({ recovery_codes }) => {
					setAdded(true);
					onAdded(recovery_codes);
				},
				(refused: unknown) =>
					setError(refused instanceof PasskeyNotGiven ? new Error(words.factor.passkeyNotMade) : (refused as Error)),
			)
			.finally(() => setBusy(false));
	};
	return (
		<section>
			<h2>{words.factor.passkey}</h2>
			<p>{words.factor.passkeyHint}</p>
			<Problem error={error} />
			{isAdded ? <p role="status">{words.factor.added}</p> : null}
			<form onSubmit={submit}>
				<Field
					label={words.factor.device}
					name="name"
					defaultValue={words.factor.passkeyDefault}
					maxLength={100}
					required
				/>
				<button type="submit" className="main" disabled={isBusy}>
					{words.factor.passkey}
				</button>
			</form>
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
