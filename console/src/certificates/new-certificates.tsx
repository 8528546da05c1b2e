import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Answer } from "../parts/answer.tsx";
import { Choice, Field } from "../parts/form.tsx";
import { Empty, Page, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Drop } from "./drop.tsx";
import { ImportReportTable } from "./import-report.tsx";
import { Labels } from "./labels.tsx";
import { RowForm } from "./row-form.tsx";
import type { EnteredStatus } from "./rows.ts";
import { type NewCertificates, useNewCertificates } from "./use-new-certificates.ts";

/** Adds the certificates of a laboratory: drop the PDFs, say what each is for, check, publish. */
export default function NewCertificatesPage({ me }: { me: Me }): ReactNode {
	const [round, setRound] = useState(0);
	return (
		<Page title={words.newCertificates.title}>
			<Adding key={round} mayPrint={hasRole(me, "warehouse")} onMore={() => setRound(round + 1)} />
		</Page>
	);
}

function Adding({ mayPrint, onMore }: { mayPrint: boolean; onMore: () => void }): ReactNode {
	const products = useId();
	const { data } = useRead("list_products", { query: { limit: 500 } });
	const [search] = useSearchParams();
	const adding = useNewCertificates(search.get("reissue") === "true");
	const { rows, done, leftOut, add } = adding;
	const slugs = data?.items.map(({ slug }) => slug) ?? [];
	if (done !== null) return <Done adding={adding} mayPrint={mayPrint} onMore={onMore} />;
	return (
		<>
			<p>{words.newCertificates.intro}</p>
			{data?.items.length === 0 ? <p className="wrong">{words.newCertificates.noProduct}</p> : null}
			<datalist id={products}>
				{data?.items.map(({ slug, name }) => (
					<option key={slug} value={slug}>
						{name}
					</option>
				))}
			</datalist>
			<Drop onFiles={(files) => add(files, slugs)} />
			{leftOut === null ? null : (
				<p className="wrong" role="alert">
					{leftOut}
				</p>
			)}
			{rows.length === 0 ? (
				<Empty title={words.newCertificates.empty} hint={words.newCertificates.emptyHint} />
			) : (
				<AddingForm adding={adding} products={products} />
			)}
		</>
	);
}

function AddingForm({ adding, products }: { adding: NewCertificates; products: string }): ReactNode {
	const { rows, problems, isBusy, sent, error, check } = adding;
	const submit = (event: FormEvent): void => {
		event.preventDefault();
		void check();
	};
	const wrong = problems.rows.reduce((n, row) => n + row.size, 0);
	return (
		<form className="wide" onSubmit={submit}>
			<ForAll adding={adding} />
			{rows.map((row, n) => (
				<RowForm
					key={row.name}
					row={row}
					problems={problems.rows[n]}
					products={products}
					onChange={(fields) => adding.change(row.name, fields)}
					onProduct={(slug) => adding.propose(row.name, slug)}
					onLeaveOut={() => adding.leaveOut(row.name)}
				/>
			))}
			{error === null ? null : (
				<Answer>
					{wrong > 0 ? (
						<p className="problem" role="alert">
							{words.newCertificates.mend(wrong)}
						</p>
					) : (
						<Problem error={error} />
					)}
					{problems.others.map(({ at, message }) => (
						<p key={`${at} ${message}`} className="wrong">
							{at}: {message}
						</p>
					))}
				</Answer>
			)}
			<p className="hint">{words.newCertificates.checkHint}</p>
			<div className="buttons">
				<button type="submit" className={adding.would === null ? "main" : undefined} disabled={isBusy}>
					{words.newCertificates.check}
				</button>
			</div>
			{sent === null ? null : (
				<p role="status">
					<progress value={sent} max={rows.length} aria-label={words.newCertificates.files} />{" "}
					{words.newCertificates.sending(sent, rows.length)}
				</p>
			)}
			<Checked adding={adding} />
		</form>
	);
}

/** What is the same for every PDF, and the state that the certificates get. */
function ForAll({ adding: { common, setCommon } }: { adding: NewCertificates }): ReactNode {
	return (
		<fieldset className="card">
			<legend>{words.newCertificates.forAll}</legend>
			<p className="hint">{words.newCertificates.forAllHint}</p>
			<div className="fields">
				<Field
					label={words.newCertificates.tested}
					type="date"
					value={common.tested_on}
					onChange={({ target }) => setCommon({ tested_on: target.value })}
				/>
				<Field
					label={words.newCertificates.lab}
					maxLength={200}
					value={common.lab_name}
					onChange={({ target }) => setCommon({ lab_name: target.value })}
				/>
				<Choice
					label={words.newCertificates.status}
					value={common.status}
					onChange={({ target }) => setCommon({ status: target.value as EnteredStatus })}
					options={Object.entries(words.newCertificates.statuses)}
				/>
			</div>
			<label className="check">
				<input
					type="checkbox"
					checked={common.reissue}
					onChange={({ target }) => setCommon({ reissue: target.checked })}
				/>{" "}
				{words.newCertificates.reissue}
			</label>
		</fieldset>
	);
}

/** What the check found, and the button that does exactly that. */
function Checked({ adding: { would, common, isBusy, publish } }: { adding: NewCertificates }): ReactNode {
	if (would === null) return null;
	const n = would.changes.length;
	const text = common.status === "current" ? words.newCertificates.publish(n) : words.newCertificates.save(n);
	return (
		<Answer label={words.newCertificates.checked}>
			<p role="status">
				{would.without_lot.length === 0 ? words.newCertificates.good : words.newCertificates.doubtful}
			</p>
			<ImportReportTable report={would} />
			{n === 0 ? null : (
				<button type="button" className="main" disabled={isBusy} onClick={publish}>
					{text}
				</button>
			)}
		</Answer>
	);
}

function Done(props: { adding: NewCertificates; mayPrint: boolean; onMore: () => void }): ReactNode {
	const { adding, mayPrint, onMore } = props;
	const { rows, done } = adding;
	if (done === null) return null;
	const batches = [...new Set(rows.map(({ fields }) => fields.batch_number.trim()))];
	return (
		<Answer label={words.newCertificates.did}>
			<p role="status" className="good">
				{words.newCertificates.done(done.created + done.changed)}
			</p>
			<ImportReportTable report={done} />
			<div className="buttons">
				<button type="button" onClick={onMore}>
					{words.newCertificates.more}
				</button>
				<Link className="button" to="/certificates">
					{words.certificates.title}
				</Link>
				{mayPrint ? <Labels batches={batches} /> : null}
			</div>
		</Answer>
	);
}
