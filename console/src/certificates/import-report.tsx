import type { ReactNode } from "react";
import { Link } from "react-router";
import { useRead } from "../api/use.ts";
import { Table } from "../parts/list.tsx";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { certificateAt } from "./state.tsx";
import type { ImportReport } from "./use-new-certificates.ts";

type Change = ImportReport["changes"][number];

/** What an import does, or would do, to each certificate, and which of them have no lot. */
export function ImportReportTable({ report }: { report: ImportReport }): ReactNode {
	const { changes, unchanged, without_lot } = report;
	const nameOf = ({ slug, batch_number }: Pick<Change, "slug" | "batch_number">) => `${slug} ${batch_number}`;
	const lotless = new Set(without_lot.map(nameOf));
	return (
		<>
			{changes.length === 0 ? null : (
				<Table
					caption={words.newCertificates[report.dry_run ? "checked" : "did"]}
					rows={changes}
					keyOf={nameOf}
					columns={[
						{ head: words.newCertificates.product, cell: ({ slug }) => slug },
						{
							head: words.newCertificates.batch,
							cell: (one) => (
								<>
									{report.dry_run ? one.batch_number : <Link to={certificateAt(one)}>{one.batch_number}</Link>}
									{lotless.has(nameOf(one)) ? <NoLot batch={one.batch_number} /> : null}
								</>
							),
						},
						{
							head: words.newCertificates.what,
							cell: ({ what, status }) => (
								<>
									<State word={words.newCertificates[what]} /> {words.certificates.states[status]}
								</>
							),
						},
						{ head: words.newCertificates.fields, cell: ({ fields }) => fields.map(changeText).join(", ") },
					]}
				/>
			)}
			{unchanged === 0 ? null : <p>{words.newCertificates.unchanged(unchanged)}</p>}
		</>
	);
}

/**
 * Why no lot of the product has this batch number: no lot has it, or only lots of formulas that are not in the product.
 */
function NoLot({ batch }: { batch: string }): ReactNode {
	const { data } = useRead("list_lots", { query: { batch_number: batch, limit: 500 } });
	const formulas = [...new Set(data?.items.map(({ formula }) => formula))];
	return (
		<span className="wrong block">
			{formulas.length === 0 ? words.newCertificates.noLot : words.newCertificates.otherLot(batch, formulas.join(", "))}
		</span>
	);
}

/** Number of characters of a digest that are shown: enough to tell two PDFs apart. */
const DIGEST_LENGTH = 8;

function changeText({ field, from, to }: Change["fields"][number]): string {
	const text = (value: string | number | null): string =>
		value === null ? words.none : field === "file" ? String(value).slice(0, DIGEST_LENGTH) : String(value);
	return `${words.newCertificates.columns[field] ?? field}: ${text(from)} → ${text(to)}`;
}
