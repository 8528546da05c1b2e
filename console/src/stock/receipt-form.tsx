import { type FormEvent, type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import type { Asked } from "../api/call.ts";
import type { Trial } from "../api/trial.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { FormulaField, PoolField } from "../catalogue/fields.tsx";
import { Answer } from "../parts/answer.tsx";
import { Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";

export type Receipt = NonNullable<Asked<"receive_batch">["body"]>;
const FIELDS = ["formula", "brand_code", "batch_number", "expires_on", "received_on", "units", "reason"];
/** Maximum number of characters of a location. */
const MOST_LOCATION = 100;
/** The end of the message that refuses a batch number nearly the same as another: it is meant for programs. */
const ASKS_FOR_NEW_BATCH = / To receive it as another batch, set new_batch\.$/;

interface ReceiptFormProps {
	readonly me: Me;
	readonly trial: Trial<"receive_batch">;
	/** Called with the location of the units; null: none was given. */
	readonly onLocation: (location: string | null) => void;
}

/** The form for what was received, and under which batch number. Sending it shows a preview. */
export function ReceiptForm({ me, trial, onLocation }: ReceiptFormProps): ReactNode {
	const { tryOut, forget, would, isBusy, error } = trial;
	const [search] = useSearchParams();
	const [formula, setFormula] = useState(search.get("formula") ?? "");
	const [batch, setBatch] = useState(search.get("batch_number") ?? "");
	/** The batch number that the person confirmed to be another batch. */
	const [other, setOther] = useState<string | null>(null);
	/** A batch number whose units go into quarantine. */
	const [recalled, setRecalled] = useState<string | null>(null);
	const isNear = ASKS_FOR_NEW_BATCH.test(error?.message ?? "");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const body = bodyOf(form);
		onLocation(textOf(form, "location") ?? null);
		const found = await tryOut({ body });
		if (found?.quarantined) setRecalled(body.batch_number);
	};
	return (
		<form onSubmit={(event) => void submit(event)} onChange={forget}>
			{error === null || isNear || isAboutFields(error, FIELDS) ? null : (
				<Answer>
					<Problem error={error} />
				</Answer>
			)}
			<FormulaField
				label={words.receive.formula}
				name="formula"
				none={words.receive.chooseFormula}
				value={formula}
				onValue={setFormula}
				problem={problemAt(error, "formula")}
				required
			/>
			<PoolField label={words.receive.brand} name="brand_code" problem={problemAt(error, "brand_code")} />
			<Field
				label={words.receive.batch}
				hint={words.receive.batchHint}
				name="batch_number"
				value={batch}
				onChange={({ target }) => setBatch(target.value)}
				maxLength={200}
				problem={isNear ? error?.message.replace(ASKS_FOR_NEW_BATCH, "") : problemAt(error, "batch_number")}
				required
				autoComplete="off"
			/>
			{isNear || other === batch ? (
				<label className="check">
					<input
						type="checkbox"
						name="new_batch"
						checked={other === batch}
						onChange={({ target }) => setOther(target.checked ? batch : null)}
					/>{" "}
					{words.receive.otherBatch}
				</label>
			) : null}
			<Amounts error={error} isRecalled={recalled === batch} mayAccept={hasRole(me, "operator")} />
			<button type="submit" className={would === null ? "main" : undefined} disabled={isBusy}>
				{words.receive.check}
			</button>
		</form>
	);
}

interface AmountsProps {
	readonly error: Error | null;
	readonly isRecalled: boolean;
	readonly mayAccept: boolean;
}

/** How many came, and when. */
const Amounts = ({ error, isRecalled, mayAccept }: AmountsProps): ReactNode => (
	<>
		<Field
			label={words.stock.units}
			name="units"
			type="number"
			min={1}
			step={1}
			problem={problemAt(error, "units")}
			required
		/>
		<Field
			label={words.receive.expires}
			hint={words.receive.expiresHint}
			name="expires_on"
			type="date"
			problem={problemAt(error, "expires_on")}
		/>
		<Field
			label={words.receive.received}
			hint={words.receive.receivedHint}
			name="received_on"
			type="date"
			problem={problemAt(error, "received_on")}
		/>
		<Field
			label={words.stock.location}
			hint={words.receive.locationHint}
			name="location"
			maxLength={MOST_LOCATION}
			autoComplete="off"
		/>
		<Field
			label={words.reason}
			hint={isRecalled && mayAccept ? words.receive.acceptReason : words.receive.reasonHint}
			name="reason"
			maxLength={500}
			problem={problemAt(error, "reason")}
		/>
		{isRecalled && mayAccept ? (
			<label className="check">
				<input type="checkbox" name="accept_recalled" /> {words.receive.accept}
			</label>
		) : null}
	</>
);

function bodyOf(form: FormData): Receipt {
	const [expires_on, received_on, reason] = ["expires_on", "received_on", "reason"].map((name) => textOf(form, name));
	return {
		formula: textOf(form, "formula") ?? "",
		brand_code: textOf(form, "brand_code") ?? null,
		batch_number: textOf(form, "batch_number") ?? "",
		units: Number(textOf(form, "units")),
		...(expires_on === undefined ? {} : { expires_on }),
		...(received_on === undefined ? {} : { received_on }),
		...(reason === undefined ? {} : { reason }),
		...(form.get("new_batch") === "on" ? { new_batch: true } : {}),
		...(form.get("accept_recalled") === "on" ? { accept_recalled: true } : {}),
	};
}
