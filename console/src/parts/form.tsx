import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId, useState } from "react";

interface Labelled {
	readonly label: string;
	readonly hint?: string | undefined;
	/** What the service found wrong with it. */
	readonly problem?: string | null | undefined;
}

/** A field of a form: its label, its hint, and what is wrong with it. */
export function Field(props: Labelled & InputHTMLAttributes<HTMLInputElement>): ReactNode {
	const { label, hint, problem: found, ...input } = props;
	const id = useId();
	const { problem, onInput } = useMended(found);
	return (
		<div className="field" onInput={onInput}>
			<label htmlFor={id}>{label}</label>
			<input id={id} {...describedBy(id, hint, problem)} {...input} />
			<Notes id={id} hint={hint} problem={problem} />
		</div>
	);
}

/** A field with a few fixed values. */
export function Choice(
	props: Labelled &
		SelectHTMLAttributes<HTMLSelectElement> & { options: readonly (readonly [value: string, text: string])[] },
): ReactNode {
	const { label, hint, problem: found, options, ...select } = props;
	const id = useId();
	const { problem, onInput } = useMended(found);
	return (
		<div className="field" onInput={onInput}>
			<label htmlFor={id}>{label}</label>
			<select id={id} {...describedBy(id, hint, problem)} {...select}>
				{options.map(([value, text]) => (
					<option key={value} value={value}>
						{text}
					</option>
				))}
			</select>
			<Notes id={id} hint={hint} problem={problem} />
		</div>
	);
}

/** The problem of a field, until its value changes. A form that is sent again begins without problems. */
function useMended(found: string | null | undefined) {
	const [isMended, setMended] = useState(false);
	if (!found && isMended) setMended(false);
	return { problem: isMended ? null : found, onInput: () => setMended(Boolean(found)) };
}

const describedBy = (id: string, hint: string | undefined, problem: string | null | undefined) => ({
	"aria-describedby": [hint ? `${id}-hint` : "", problem ? `${id}-problem` : ""].join(" ").trim() || undefined,
	"aria-invalid": problem ? true : undefined,
});

const Notes = ({ id, hint, problem }: { id: string } & Omit<Labelled, "label">): ReactNode => (
	<>
		{hint ? (
			<p className="hint" id={`${id}-hint`}>
				{hint}
			</p>
		) : null}
		{problem ? (
			<p className="wrong" id={`${id}-problem`}>
				{problem}
			</p>
		) : null}
	</>
);

/** The end of a form in a dialog: the button that sends it, and the one that does not. */
export const Buttons = (props: { send: string; isBusy: boolean; leave: string; onLeave: () => void }): ReactNode => (
	<div className="buttons">
		<button type="submit" className="main" disabled={props.isBusy}>
			{props.send}
		</button>
		<button type="button" onClick={props.onLeave}>
			{props.leave}
		</button>
	</div>
);

/** The text of a field of a submitted form; undefined if it is empty. */
export const textOf = (form: FormData, name: string): string | undefined => {
	const value = form.get(name);
	return typeof value === "string" && value !== "" ? value : undefined;
};

/**
 * What a refusal says about one field: the service names fields by JSON pointer, `/name: too long; /role: …`, and
 * those of the catalogue's rows without the colon. `null`: it says nothing about this field.
 */
export function problemAt(error: Error | null, field: string): string | null {
	const parts = (error?.message ?? "").split("; ");
	const found = parts.find((part) => part.startsWith(`/${field}:`) || part.startsWith(`/${field} `));
	return found === undefined ? null : found.slice(field.length + 2).trim();
}

/** Whether a refusal is about fields alone, so that nothing needs to stand above the form. */
export const isAboutFields = (error: Error | null, fields: readonly string[]): boolean =>
	error !== null && fields.some((field) => problemAt(error, field) !== null);
