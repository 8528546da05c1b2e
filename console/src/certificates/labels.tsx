import { type FormEvent, type ReactNode, useState } from "react";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { useFile } from "../api/file.ts";
import { useRead } from "../api/use.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Choice, Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { OnlyHere } from "./only-here.tsx";

const { paper: PAPERS, copies: COPIES } = FIELDS.print_lot_labels;
/** Usual number of labels for a batch: one sheet of A4. */
const USUAL_COPIES = 24;
/** Maximum number of batches in the name of the file. */
const NAMED_BATCHES = 3;
const FORM_FIELDS = ["copies", "paper", "batch_numbers"];

/** A button that makes a sheet of labels for these batches. */
export function Labels({ batches }: { batches: readonly string[] }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	return (
		<>
			<button type="button" onClick={() => setOpen(true)}>
				{words.certificate.labels}
			</button>
			{isOpen ? <LabelsDialog batches={batches} onClose={() => setOpen(false)} /> : null}
		</>
	);
}

function LabelsDialog({ batches, onClose }: { batches: readonly string[]; onClose: () => void }): ReactNode {
	// all certificates lead to the same host
	const { data } = useRead("list_certificates", { query: { q: batches[0] ?? "", limit: 1 } });
	const one = data?.items[0];
	const { save, isBusy, error } = useFile("print_lot_labels", "application/pdf");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const paper = PAPERS.find((known) => known === textOf(form, "paper")) ?? "A4";
		const body = { batch_numbers: [...batches], copies: Number(textOf(form, "copies")), paper };
		const name = words.certificate.labelsName(batches.slice(0, NAMED_BATCHES).join("-"));
		if ((await save({ body }, name)) !== null) onClose();
	};
	return (
		<Dialog title={words.certificate.labels} onClose={onClose}>
			<form onSubmit={(event) => void submit(event)}>
				<p>{words.certificate.labelsHint}</p>
				{one === undefined ? null : <OnlyHere verify_url={one.verify_url} />}
				{isAboutFields(error, FORM_FIELDS) ? null : <Problem error={error} />}
				<Field
					label={words.certificate.copies}
					name="copies"
					type="number"
					min={COPIES.least}
					max={COPIES.most}
					defaultValue={USUAL_COPIES}
					problem={problemAt(error, "copies")}
					required
				/>
				<Choice
					label={words.certificate.paper}
					name="paper"
					options={PAPERS.map((paper) => [paper, words.certificate.papers[paper]] as const)}
				/>
				<Buttons send={words.certificate.makeLabels} isBusy={isBusy} leave={words.cancel} onLeave={onClose} />
			</form>
		</Dialog>
	);
}
