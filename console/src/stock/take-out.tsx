import { type FormEvent, type ReactNode, useState } from "react";
import type { Asked, DataOf } from "../api/call.ts";
import type { EndedOf } from "../api/run.ts";
import { useTrial } from "../api/trial.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { words } from "../words/words.ts";

type TakeOutVerb = "quarantine" | "restore" | "destroy";
type TakeOutId = `${TakeOutVerb}_lot`;
const FIELDS = ["units", "reason"];

interface TakeOutProps {
	readonly lot: DataOf<"get_lot">;
	readonly verb: TakeOutVerb;
	readonly title: string;
	readonly onClose: () => void;
}

/** Moves units of a lot into quarantine, back, or out for good. Whom that affects is shown first. */
export function TakeOutDialog({ lot, verb, title, onClose }: TakeOutProps): ReactNode {
	const { tryOut, carryOut, forget, would, done, progress, isBusy, error } = useTrial<TakeOutId>(`${verb}_lot`);
	if (done !== null)
		return (
			<Dialog title={title} onClose={onClose}>
				<div role="status">
					<Effect moved={done} verb={verb} words={words.lot.did} />
				</div>
				<button type="button" className="main" onClick={onClose}>
					{words.close}
				</button>
			</Dialog>
		);
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void tryOut({ params: { fg_id: lot.fg_id }, body: bodyOf(new FormData(event.currentTarget)) });
	};
	return (
		<Dialog title={title} onClose={onClose}>
			<p>{words.lot.hints[verb]}</p>
			<form onSubmit={submit} onChange={forget}>
				{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
				<Amount error={error} />
				<Field label={words.reason} name="reason" maxLength={500} problem={problemAt(error, "reason")} required />
				{verb === "restore" && lot.recalled_at !== null ? (
					<label className="check">
						<input type="checkbox" name="ends_recall" required /> {words.lot.endsRecall(lot.batch_number)}
					</label>
				) : null}
				<div className="buttons">
					<button type="submit" className={would === null ? "main" : undefined} disabled={isBusy}>
						{words.lot.show}
					</button>
					<button type="button" onClick={onClose}>
						{words.cancel}
					</button>
				</div>
			</form>
			<Progress run={progress} isBusy={isBusy} />
			{would === null || progress !== null ? null : (
				<div className="card after" role="status">
					<Effect moved={would} verb={verb} words={words.lot.would} />
					<button
						type="button"
						className={verb === "destroy" ? "bad" : "main"}
						disabled={isBusy}
						onClick={() => void carryOut()}
					>
						{title}
					</button>
				</div>
			)}
		</Dialog>
	);
}

/** All units, or how many. */
function Amount({ error }: { error: Error | null }): ReactNode {
	const [amount, setAmount] = useState("some");
	return (
		<>
			<Choice
				label={words.lot.amount}
				name="amount"
				value={amount}
				onChange={({ target }) => setAmount(target.value)}
				options={[
					["some", words.lot.some],
					["all", words.lot.all],
				]}
			/>
			{amount === "all" ? null : (
				<Field
					label={words.stock.units}
					name="units"
					type="number"
					min={1}
					step={1}
					problem={problemAt(error, "units")}
					required
				/>
			)}
		</>
	);
}

function bodyOf(form: FormData): NonNullable<Asked<TakeOutId>["body"]> {
	const reason = textOf(form, "reason") ?? "";
	const confirmed = form.has("ends_recall") ? { ends_recall: true as const } : {};
	const amount = form.get("amount") === "all" ? { all: true as const } : { units: Number(textOf(form, "units")) };
	return { ...amount, reason, ...confirmed };
}

interface EffectProps {
	readonly moved: EndedOf<TakeOutId>;
	readonly verb: TakeOutVerb;
	readonly words: typeof words.lot.would;
}

/** What becomes of the units, and of those who had them. */
function Effect({ moved, verb, words: say }: EffectProps): ReactNode {
	const givenBack = "given_back" in moved ? moved.given_back : 0;
	return (
		<>
			<p className="strong">{say[verb](moved.moved)}</p>
			{moved.replaced > 0 ? <p>{say.replaced(moved.replaced)}</p> : null}
			{moved.lost > 0 ? <p className="bad">{say.lost(moved.lost)}</p> : null}
			{givenBack > 0 ? <p>{say.givenBack(givenBack)}</p> : null}
		</>
	);
}
