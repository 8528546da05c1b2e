import type { ReactNode } from "react";
import { Field } from "../parts/form.tsx";
import { sizeText } from "../parts/size.ts";
import { words } from "../words/words.ts";
import type { CertificateColumn, CertificateFields, NewCertificate } from "./rows.ts";

interface RowProps {
	readonly row: NewCertificate;
	readonly problems: ReadonlyMap<string, string> | undefined;
	readonly onChange: (fields: Partial<CertificateFields>) => void;
	readonly onLeaveOut: () => void;
	/** The list of products, by the id of its element. */
	readonly products: string;
}

/** What a person says about one PDF. */
export function RowForm({ row, problems, onChange, onLeaveOut, products }: RowProps): ReactNode {
	const field = (column: CertificateColumn) => ({
		value: row.fields[column],
		problem: problems?.get(column) ?? null,
		onChange: ({ target }: { target: HTMLInputElement }) => onChange({ [column]: target.value }),
		autoComplete: "off",
	});
	const others = ["", "status", "file"].flatMap((column) => problems?.get(column) ?? []);
	return (
		<fieldset className="card">
			<legend>
				{row.name} <span className="quiet">{sizeText(row.file.size)}</span>
			</legend>
			{others.map((message) => (
				<p key={message} className="wrong" role="alert">
					{message}
				</p>
			))}
			<div className="fields">
				<Field label={words.newCertificates.product} list={products} {...field("product_slug")} required />
				<Field
					label={words.newCertificates.batch}
					hint={words.newCertificates.batchHint}
					{...field("batch_number")}
					maxLength={200}
					required
				/>
				<Field label={words.newCertificates.tested} type="date" {...field("tested_on")} />
				<Field label={words.newCertificates.lab} maxLength={200} {...field("lab_name")} />
				<Field
					label={words.newCertificates.purity}
					type="number"
					min={0}
					max={100}
					step={0.01}
					{...field("purity_pct")}
				/>
				<Field label={words.newCertificates.vialSize} maxLength={200} {...field("vial_size")} />
			</div>
			<button type="button" onClick={onLeaveOut}>
				{words.newCertificates.leaveOut}
				<span className="unseen"> {row.name}</span>
			</button>
		</fieldset>
	);
}
