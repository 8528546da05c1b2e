import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Field, problemAt } from "../parts/form.tsx";
import { Loading, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import type { Certificate } from "./state.tsx";

type Retired = DataOf<"retire_certificate">;

/** Withdraws a certificate for good: first what is still for sale, then with or without a recall of the batch. */
export function RetireDialog({ of: one, onClose }: { of: Certificate; onClose: () => void }): ReactNode {
	const params = { slug: one.slug, batch: one.batch_number };
	const dry = useWrite("retire_certificate");
	const real = useWrite("retire_certificate");
	const [recall, setRecall] = useState(false);
	const [reason, setReason] = useState("");
	useEffect(() => {
		void dry.run({ params, body: { dry_run: true } });
	}, [one.certificate_id]);
	const submit = (event: FormEvent): void => {
		event.preventDefault();
		const said = reason.trim();
		void real.run({ params, body: { recall, ...(said === "" ? {} : { reason: said }) } });
	};
	const still = dry.done?.still_for_sale ?? null;
	return (
		<Dialog title={words.certificate.retireTitle} onClose={onClose}>
			{real.done === undefined ? (
				<form onSubmit={submit}>
					<p>{words.certificate.retireHint}</p>
					<Problem error={real.error ?? dry.error} />
					{dry.isBusy ? <Loading /> : null}
					{dry.done === undefined ? null : <p className="strong">{stillText(still)}</p>}
					{still === null ? null : (
						<>
							<label className="check">
								<input type="checkbox" checked={recall} onChange={({ target }) => setRecall(target.checked)} />{" "}
								{words.certificate.recall}
							</label>
							<p className="hint">{words.certificate.recallHint}</p>
						</>
					)}
					<Field
						label={words.reason}
						hint={words.certificate.reasonNeeded}
						value={reason}
						onChange={({ target }) => setReason(target.value)}
						maxLength={500}
						required={recall}
						problem={problemAt(real.error, "reason")}
					/>
					<Buttons
						send={words.certificate.retire}
						isBusy={real.isBusy || dry.isBusy}
						leave={words.cancel}
						onLeave={onClose}
					/>
				</form>
			) : (
				<RetiredReport retired={real.done} reason={reason.trim()} onClose={onClose} />
			)}
		</Dialog>
	);
}

const stillText = (still: Retired["still_for_sale"]): string =>
	still === null
		? words.certificate.nothingForSale
		: words.certificate.stillForSale(still.available, still.lots, still.bound);

/** The state of the units: recalled, or still for sale, with the recall that stops the sale. */
function RetiredReport(props: { retired: Retired; reason: string; onClose: () => void }): ReactNode {
	const { retired, reason, onClose } = props;
	const { recalled, still_for_sale: still } = retired;
	return (
		<>
			<p role="status">{words.certificate.wasRetired}</p>
			{recalled === null ? null : (
				<p>
					{words.certificate.wasRecalled(recalled.fg_ids.length, recalled.moved)}{" "}
					{recalled.left > 0 ? <Link to="/recalls">{words.certificate.left(recalled.left)}</Link> : null}
				</p>
			)}
			{still === null ? null : (
				<>
					<p>
						{stillText(still)} {words.certificate.recallLater}
					</p>
					<ul>
						{still.recall.map(({ batch_number, formula }) => (
							<li key={`${batch_number} ${formula ?? ""}`}>
								<Link to={recallAt(batch_number, formula, reason)}>
									{words.certificate.recallBatch(batch_number, formula)}
								</Link>
							</li>
						))}
					</ul>
				</>
			)}
			<button type="button" onClick={onClose}>
				{words.close}
			</button>
		</>
	);
}

/** The page that recalls a batch, filled in. */
function recallAt(batch_number: string, formula: string | null, reason: string): string {
	const named = { batch_number, ...(formula === null ? {} : { formula }), ...(reason === "" ? {} : { reason }) };
	return `/recalls/new?${new URLSearchParams(named)}`;
}
