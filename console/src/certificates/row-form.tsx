import { type ReactNode, useEffect, useEffectEvent } from "react";
import { Field } from "../parts/form.tsx";
import { sizeText } from "../parts/size.ts";
import { words } from "../words/words.ts";
import { productOfBatch } from "./product-of-batch.ts";
import type { CertificateColumn, CertificateFields, NewCertificate } from "./rows.ts";

/** A batch number is looked up this many milliseconds after its last letter was typed. */
const TYPING_MS = 400;

interface RowProps {
	readonly row: NewCertificate;
	readonly problems: ReadonlyMap<string, string> | undefined;
	readonly onChange: (fields: Partial<CertificateFields>) => void;
	/** Called with the product that the batch number belongs to, if no product was typed. */
	readonly onProduct: (slug: string) => void;
	readonly onLeaveOut: () => void;
	/** Id of the element with the list of products. */
	readonly products: string;
}

/** What a person says about one PDF. */
export function RowForm({ row, problems, onChange, onProduct, onLeaveOut, products }: RowProps): ReactNode {
	const batch = row.fields.batch_number.trim();
	const isOpen = row.fields.product_slug === "";
	const propose = useEffectEvent(onProduct);
	useEffect(() => {
		if (!isOpen) return;
		let isPast = false;
		const look = async (): Promise<void> => {
			const slug = await productOfBatch(batch);
			if (slug !== null && !isPast) propose(slug);
		};
		const timer = setTimeout(() => void look(), TYPING_MS);
		return () => {
			isPast = true;
			clearTimeout(timer);
		};
	}, [batch, isOpen]);
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
