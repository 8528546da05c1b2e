import { type FormEvent, type ReactNode, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { type Asked, call } from "../api/call.ts";
import { useTrial } from "../api/trial.ts";
import { useRead } from "../api/use.ts";
import { FormulaField, ProductField } from "../catalogue/fields.tsx";
import { Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Page, Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { words } from "../words/words.ts";
import { RecallReport } from "./report.tsx";
import type { ToldRecall } from "./state.tsx";

const FIELDS = ["batch_number", "fg_id", "reason"];

/** Recalls a batch or a lot. The person first sees what the recall would do, and then confirms it. */
export default function NewRecall(): ReactNode {
	const [search] = useSearchParams();
	return <RecallOf key={search.toString()} named={search} />; // another address is another recall
}

/** `named`: the parts of the form that the page's address contains. */
function RecallOf({ named }: { named: URLSearchParams }): ReactNode {
	const navigate = useNavigate();
	const fg_id = named.get("fg_id");
	const { tryOut, carryOut, forget, would, progress, isBusy, error } = useTrial("recall_lots", ({ run_id }) =>
		call("get_recall", { params: { id: run_id } }),
	);
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void tryOut({ body: bodyOf(new FormData(event.currentTarget), fg_id) });
	};
	const confirm = async (): Promise<void> => {
		const recall = await carryOut();
		if (recall !== null) void navigate(`/recalls/${recall.recall_id}`, { replace: true });
	};
	return (
		<Page title={words.recalls.make}>
			<p>{words.recalls.makeIntro}</p>
			<form onSubmit={submit} onChange={forget}>
				{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
				{fg_id === null ? <Batch named={named} error={error} /> : <OneLot fg_id={fg_id} />}
				<Field
					label={words.recalls.reason}
					hint={words.recalls.reasonHint}
					name="reason"
					defaultValue={named.get("reason") ?? ""}
					maxLength={500}
					problem={problemAt(error, "reason") ?? problemAt(error, "fg_id")}
					required
				/>
				<button type="submit" className={would === null ? "main" : undefined} disabled={isBusy}>
					{words.recalls.show}
				</button>
			</form>
			<Progress run={progress} isBusy={isBusy} />
			{would === null || progress !== null ? null : (
				<section>
					<div role="status">
						<h2>{words.recalls.wouldTitle}</h2>
					</div>
					<RecallReport told={would} />
					<Confirm told={would} isBusy={isBusy} confirm={() => void confirm()} />
				</section>
			)}
		</Page>
	);
}

/** The fields for the batch: its number, and the formula or product. */
function Batch({ named, error }: { named: URLSearchParams; error: Error | null }): ReactNode {
	const [formula, setFormula] = useState(named.get("formula") ?? "");
	const [slug, setSlug] = useState(named.get("slug") ?? "");
	return (
		<>
			<Field
				label={words.recalls.batch}
				hint={words.receive.batchHint}
				name="batch_number"
				defaultValue={named.get("batch_number") ?? ""}
				problem={problemAt(error, "batch_number")}
				required
				autoComplete="off"
			/>
			<FormulaField
				label={words.recalls.formula}
				name="formula"
				none={words.recalls.anyFormula}
				value={formula}
				onValue={setFormula}
			/>
			<ProductField
				label={words.recalls.product}
				name="slug"
				none={words.recalls.anyProduct}
				value={slug}
				onValue={setSlug}
			/>
		</>
	);
}

/** The lot that the address names. */
function OneLot({ fg_id }: { fg_id: string }): ReactNode {
	const { data: lot } = useRead("get_lot", { params: { fg_id } });
	if (lot === undefined) return null;
	const pool = lot.brand_code ?? words.sharedStock;
	return (
		<p>
			<span className="strong">{words.recalls.theLot(`${lot.formula} ${lot.batch_number}, ${pool}`)}</span>{" "}
			<Link to={`/recalls/new?batch_number=${encodeURIComponent(lot.batch_number)}`}>{words.recalls.wholeBatch}</Link>
		</p>
	);
}

/** The last question. The batch number is typed, so that no other is recalled by mistake. */
function Confirm(props: { told: ToldRecall; isBusy: boolean; confirm: () => void }): ReactNode {
	const { told, isBusy, confirm } = props;
	const [typed, setTyped] = useState("");
	const batch = told.batch_number ?? told.lots[0]?.batch_number ?? "";
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		if (typed.trim() === batch) confirm();
	};
	return (
		<form className="card after" onSubmit={submit}>
			<h3>{words.recalls.confirmTitle}</h3>
			<Field
				label={words.recalls.confirm(batch)}
				hint={words.recalls.confirmHint}
				value={typed}
				onChange={({ target }) => setTyped(target.value)}
				autoComplete="off"
			/>
			<button type="submit" className="bad" disabled={isBusy || typed.trim() !== batch}>
				{words.recalls.confirmButton(told.lots.length)}
			</button>
		</form>
	);
}

function bodyOf(form: FormData, fg_id: string | null): NonNullable<Asked<"recall_lots">["body"]> {
	const reason = textOf(form, "reason") ?? "";
	if (fg_id !== null) return { fg_id, reason };
	const [formula, slug] = [textOf(form, "formula"), textOf(form, "slug")];
	return {
		batch_number: textOf(form, "batch_number") ?? "",
		reason,
		...(formula === undefined ? {} : { formula }),
		...(slug === undefined ? {} : { slug }),
	};
}
