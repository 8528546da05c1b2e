import type { ReactNode } from "react";
import { words } from "../words/words.ts";
import { Field, textOf } from "./form.tsx";

/** The field for the reason of a write. A scan does not stay in it (`data-scan`: see warehouse/scanner.ts). */
export const ReasonField = (): ReactNode => (
	<Field label={words.reason} hint={words.reasonHint} name="reason" maxLength={500} data-scan="" />
);

/** The reason as a member of the request body; no member if nothing was typed. */
export function reasonIn(form: FormData): { readonly reason?: string } {
	const reason = textOf(form, "reason")?.trim();
	return reason === undefined || reason === "" ? {} : { reason };
}
