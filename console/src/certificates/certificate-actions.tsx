import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { ChangeCertificate } from "./change-certificate.tsx";
import { RetireDialog } from "./retire.tsx";
import type { Certificate } from "./state.tsx";

type Doing = "change" | "publish" | "archive" | "retire";
/** What may be done in each state. Retiring is for good. */
const MAY: Readonly<Record<Certificate["status"], readonly Doing[]>> = {
	draft: ["publish", "change"],
	current: ["change", "archive", "retire"],
	archived: ["publish", "change", "retire"],
	retired: [],
};

/** The changes of a certificate that its state allows. */
export function CertificateActions({ of: one }: { of: Certificate }): ReactNode {
	const [doing, setDoing] = useState<Doing | null>(null);
	const close = (): void => setDoing(null);
	return (
		<>
			{MAY[one.status].map((verb) => (
				<button key={verb} type="button" className={CLASSES[verb]} onClick={() => setDoing(verb)}>
					{words.certificate[verb]}
				</button>
			))}
			{one.status === "retired" ? (
				<Link className="button" to="/certificates/new?reissue=true">
					{words.certificate.reissue}
				</Link>
			) : null}
			{doing === "change" ? <ChangeCertificate of={one} onClose={close} /> : null}
			{doing === "publish" || doing === "archive" ? <MoveDialog of={one} verb={doing} onClose={close} /> : null}
			{doing === "retire" ? <RetireDialog of={one} onClose={close} /> : null}
		</>
	);
}

const CLASSES: Readonly<Partial<Record<Doing, string>>> = { publish: "main", retire: "bad" };

interface MoveProps {
	readonly of: Certificate;
	readonly verb: "publish" | "archive";
	readonly onClose: () => void;
}

const MoveDialog = ({ of: { slug, batch_number: batch }, verb, onClose }: MoveProps): ReactNode => (
	<WriteDialog
		id={verb === "publish" ? "publish_certificate" : "archive_certificate"}
		title={words.certificate[verb]}
		asked={(form) => ({ params: { slug, batch }, body: reasonIn(form) })}
		onClose={onClose}
	>
		{() => (
			<>
				<p>{verb === "publish" ? words.certificate.publishHint : words.certificate.archiveHint}</p>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);
