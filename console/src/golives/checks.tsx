import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { Choice, Field, textOf } from "../parts/form.tsx";
import { Moment } from "../parts/time.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import type { GoLive } from "./golive.tsx";
import { Verdict } from "./state.tsx";

type Check = GoLive["checks"][number];

/** Every check with its verdict, what was seen, and what to do. */
export const Checks = ({ of: run, mayChange }: { of: GoLive; mayChange: boolean }): ReactNode => (
	<>
		<h2>{words.golive.checks}</h2>
		{run.checks.map((check) => (
			<OneCheck key={check.check} of={check} id={run.golive_id} mayChange={mayChange} />
		))}
	</>
);

interface CheckProps {
	readonly of: Check;
	readonly id: string;
}

function OneCheck({ of: check, id, mayChange }: CheckProps & { readonly mayChange: boolean }): ReactNode {
	const [asks, setAsks] = useState<"review" | "waive" | null>(null);
	const isPassed = check.verdict === "passed" || check.verdict === "warning";
	return (
		<section className="card">
			<h3>
				{check.title} <Verdict verdict={check.verdict} />
				{check.optional ? <span className="quiet"> {words.golive.optional}</span> : null}
			</h3>
			<p>{check.says}</p>
			{check.cure === null ? null : (
				<p>
					{words.golive.cure}: {check.cure}
				</p>
			)}
			{check.waiver === null ? null : (
				<p className="strong">{words.golive.waived(check.waiver.by, check.waiver.reason)}</p>
			)}
			<details>
				<summary>{words.golive.evidence}</summary>
				<p className="quiet">
					{words.golive.passedWhen}: {check.passed_when}
				</p>
				{check.since === null ? null : (
					<p className="quiet">
						{words.golive.since} <Moment at={check.since} exact />
					</p>
				)}
				<ul>
					{check.evidence.map((one) => (
						<li key={one}>{one.startsWith("req_") ? <Link to={`/requests/${one}`}>{one}</Link> : one}</li>
					))}
				</ul>
			</details>
			{mayChange && !isPassed ? (
				<div className="buttons">
					{check.verdict === "review" ? (
						<button type="button" onClick={() => setAsks("review")}>
							{words.golive.review}
						</button>
					) : null}
					{check.optional || check.waiver !== null ? null : (
						<button type="button" onClick={() => setAsks("waive")}>
							{words.golive.waive}
						</button>
					)}
				</div>
			) : null}
			{asks === "review" ? <Review of={check} id={id} onClose={() => setAsks(null)} /> : null}
			{asks === "waive" ? <Waive of={check} id={id} onClose={() => setAsks(null)} /> : null}
		</section>
	);
}

const Review = ({ of: { check, title }, id, onClose }: CheckProps & { readonly onClose: () => void }): ReactNode => (
	<WriteDialog
		id="review_golive"
		title={`${words.golive.review}: ${title}`}
		send={words.golive.review}
		asked={(form) => ({
			params: { id },
			body: { check, passed: textOf(form, "passed") === "yes", words: textOf(form, "words") ?? "" },
		})}
		onClose={onClose}
	>
		{() => (
			<>
				<Choice
					label={words.golives.state}
					name="passed"
					options={[
						["yes", words.golive.passed],
						["no", words.golive.notPassed],
					]}
				/>
				<Field label={words.golive.words} hint={words.golive.wordsHint} name="words" maxLength={2_000} required />
			</>
		)}
	</WriteDialog>
);

const Waive = ({ of: { check, title }, id, onClose }: CheckProps & { readonly onClose: () => void }): ReactNode => (
	<WriteDialog
		id="waive_golive"
		title={`${words.golive.waive}: ${title}`}
		send={words.golive.waive}
		asked={(form) => ({ params: { id }, body: { check, reason: textOf(form, "reason") ?? "" } })}
		onClose={onClose}
	>
		{() => <Field label={words.golive.why} hint={words.golive.waiveHint} name="reason" maxLength={500} required />}
	</WriteDialog>
);
