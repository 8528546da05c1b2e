import type { ReactNode } from "react";
import { words } from "../words/words.ts";
import { Field, textOf } from "./form.tsx";

/** The field in which a person may say why, of a write that keeps it. A scan does not belong there: see the scanner. */
export const ReasonField = (): ReactNode => (
	<Field label={words.reason} hint={words.reasonHint} name="reason" maxLength={500} data-scan="" />
);

/** What was typed there, as the body of the write has it: nothing if nothing was. */
export function reasonIn(form: FormData): { readonly reason?: string } {
	const reason = textOf(form, "reason")?.trim();
	return reason === undefined || reason === "" ? {} : { reason };
}
