import type { ReactNode } from "react";
import type { Asked } from "../api/call.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import type { Certificate } from "./state.tsx";

const FORM_FIELDS = ["tested_on", "lab_name", "purity_pct", "vial_size", "file"];

/** Changes what a certificate says, or its PDF; its state stays. */
export const ChangeCertificate = ({ of: one, onClose }: { of: Certificate; onClose: () => void }): ReactNode => (
	<WriteDialog
		id="put_certificate"
		title={words.certificate.change}
		send={words.save}
		fields={FORM_FIELDS}
		replaces={{ read: "get_certificate", params: { slug: one.slug, batch: one.batch_number }, shown: one }}
		asked={(form) => askedOf(one, form)}
		onClose={onClose}
	>
		{(error) => (
			<>
				<p className="hint">{words.certificate.changeHint}</p>
				<Field
					label={words.newCertificates.tested}
					name="tested_on"
					type="date"
					defaultValue={one.tested_on ?? ""}
					problem={problemAt(error, "tested_on")}
				/>
				<Field
					label={words.newCertificates.lab}
					name="lab_name"
					maxLength={200}
					defaultValue={one.lab_name ?? ""}
					problem={problemAt(error, "lab_name")}
				/>
				<Field
					label={words.newCertificates.purity}
					name="purity_pct"
					type="number"
					min={0}
					max={100}
					step={0.01}
					defaultValue={one.purity_pct ?? ""}
					problem={problemAt(error, "purity_pct")}
				/>
				<Field
					label={words.newCertificates.vialSize}
					name="vial_size"
					maxLength={200}
					defaultValue={one.vial_size ?? ""}
					problem={problemAt(error, "vial_size")}
				/>
				<Field
					label={words.certificate.newPdf}
					name="file"
					type="file"
					accept=".pdf,application/pdf"
					problem={problemAt(error, "file")}
				/>
			</>
		)}
	</WriteDialog>
);

function askedOf({ slug, batch_number: batch, status }: Certificate, form: FormData): Asked<"put_certificate"> {
	const purity = textOf(form, "purity_pct");
	const file = form.get("file");
	const body = {
		vial_size: textOf(form, "vial_size") ?? null,
		tested_on: textOf(form, "tested_on") ?? null,
		lab_name: textOf(form, "lab_name") ?? null,
		purity_pct: purity === undefined ? null : Number(purity),
		status: status === "retired" ? ("current" as const) : status,
	};
	const files = file instanceof File && file.size > 0 ? { files: [file] } : {};
	return { params: { slug, batch }, body, ...files };
}
