import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

/** A certificate as its page shows it. */
export type Certificate = DataOf<"get_certificate">;

const TONES = { draft: "plain", current: "good", archived: "plain", retired: "bad" } as const;

/** The state of a certificate in one word. */
export const CertificateState = ({ status }: Pick<Certificate, "status">): ReactNode => (
	<State word={words.certificates.states[status]} tone={TONES[status]} />
);

/** The address of the page of a certificate. */
export const certificateAt = ({ slug, batch_number }: Pick<Certificate, "slug" | "batch_number">): string =>
	`/certificates/${encodeURIComponent(slug)}/${encodeURIComponent(batch_number)}`;
