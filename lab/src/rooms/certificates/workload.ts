/** The operators' commands on certificates, and recalls of their lots. */
import type { Topic } from "../../knowledge.ts";
import type { Chore, Command, Situation } from "../room.ts";

interface Certified {
	readonly product: string;
	readonly batch: string;
	readonly fgId: string;
}

class CertificatesKnown {
	/** Certificates that have not been withdrawn. */
	readonly standing: Certified[] = [];
}
export const CERTIFICATES: Topic<CertificatesKnown> = { name: "certificates", make: () => new CertificatesKnown() };

/** The subject of a chore, as recorded in the history. */
export interface CertificateErrand {
	readonly what: "publish" | "archive" | "retire" | "recall";
	readonly batch: string;
	readonly fgId: string;
}

type Wants = Omit<Situation, "actor">;

/** Publishes or archives a certificate, which can be undone. */
const move =
	(what: "publish" | "archive") =>
	({ knows, chance }: Wants): Command | null => {
		const { standing } = knows.of(CERTIFICATES);
		if (standing.length === 0) return null;
		const { product, batch, fgId } = chance.pick(standing);
		return { args: ["coa", what, product, batch, "--json"], about: { what, batch, fgId } satisfies CertificateErrand };
	};

/** Withdraws a certificate in one of two ways. Another operator may be publishing it at the same time. */
const withdraw =
	(what: "retire" | "recall") =>
	({ knows, chance }: Wants): Command | null => {
		const { standing } = knows.of(CERTIFICATES);
		if (standing.length === 0) return null;
		const one = chance.pick(standing);
		const { product, batch, fgId } = one;
		const args = what === "retire" ? ["coa", what, product, batch] : ["stock", what, fgId, "--reason", `bad ${batch}`];
		return {
			args: [...args, "--json"],
			about: { what, batch, fgId } satisfies CertificateErrand,
			learn: () => {
				const at = standing.indexOf(one);
				if (at >= 0) standing.splice(at, 1);
			},
		};
	};

export const CERTIFICATE_CHORES: readonly Chore[] = [
	{ name: "publish", weight: 2, build: move("publish") },
	{ name: "archive", weight: 2, build: move("archive") },
	{ name: "retire", weight: 1, build: withdraw("retire") },
	{ name: "recall", weight: 2, build: withdraw("recall") },
];
