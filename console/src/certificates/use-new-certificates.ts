import { useRef, useState } from "react";
import { CallError, type DataOf } from "../api/call.ts";
import { useTrial } from "../api/trial.ts";
import { words } from "../words/words.ts";
import {
	type CertificateFields,
	type EnteredStatus,
	mayBePdf,
	type NewCertificate,
	type SortedProblems,
	sortProblems,
	tableOf,
	withFiles,
} from "./rows.ts";
import { type StoredPdfs, sendPdfs, storedOf } from "./send-pdfs.ts";

/** Maximum number of PDFs at a time: as many as a person can look through. */
const MAX_ROWS = 200;

/** What an import of certificates does, or would do. */
export type ImportReport = DataOf<"import_certificates">;
/** What is the same for all, and what the import does with them. */
export interface Common {
	readonly tested_on: string;
	readonly lab_name: string;
	readonly status: EnteredStatus;
	readonly reissue: boolean;
}

/** Certificates that are being added, and what can be done with them. */
export interface NewCertificates {
	readonly rows: readonly NewCertificate[];
	readonly common: Common;
	/** What was left out of the files that were dropped or chosen; null: nothing. */
	readonly leftOut: string | null;
	readonly add: (files: readonly File[], slugs: readonly string[]) => void;
	readonly change: (name: string, fields: Partial<CertificateFields>) => void;
	/** Fills in the product of one that has none. */
	readonly propose: (name: string, slug: string) => void;
	readonly leaveOut: (name: string) => void;
	readonly setCommon: (common: Partial<Common>) => void;
	readonly check: () => Promise<void>;
	readonly publish: () => void;
	/** Number of PDFs that the service has; null: none are being sent. */
	readonly sent: number | null;
	readonly isBusy: boolean;
	readonly error: CallError | null;
	readonly problems: SortedProblems;
	/** What the import would do; null: its present content was not checked. */
	readonly would: ImportReport | null;
	readonly done: ImportReport | null;
}

/**
 * Adds certificates: their PDFs are sent, the import is checked, and then exactly that import is carried out.
 * `reissue`: they may take the place of retired ones, unless the person decides otherwise.
 */
export function useNewCertificates(reissue: boolean): NewCertificates {
	const [rows, setRows] = useState<readonly NewCertificate[]>([]);
	const [common, setCommon] = useState<Common>({ tested_on: "", lab_name: "", status: "current", reissue });
	const [leftOut, setLeftOut] = useState<string | null>(null);
	const [sent, setSent] = useState<number | null>(null);
	const [sendError, setSendError] = useState<CallError | null>(null);
	const stored = useRef<StoredPdfs>(new WeakMap());
	const edits = useRef(0);
	const trial = useTrial("import_certificates");
	const forget = (): void => {
		edits.current++;
		trial.forget();
	};
	const edit = (to: readonly NewCertificate[]): void => {
		setRows(to);
		forget();
	};
	const check = async (): Promise<void> => {
		setSendError(null);
		trial.forget();
		const before = edits.current;
		try {
			await sendPdfs(rows, stored.current, setSent);
		} catch (error) {
			if (!(error instanceof CallError)) throw error;
			return setSendError(error);
		} finally {
			setSent(null);
		}
		if (edits.current !== before) return; // what was to be checked is no longer what the person sees
		const { status, reissue: isReissue, ...forAll } = common;
		const body = { reissue: isReissue, stored: [...storedOf(rows, stored.current)] };
		await trial.tryOut({ body, files: [tableOf(rows, forAll, status)] });
	};
	const error = sendError ?? trial.error;
	return {
		rows,
		common,
		leftOut,
		add: (files, slugs) => {
			const good = files.filter(mayBePdf);
			const some = good.slice(0, MAX_ROWS - rows.length);
			edit(withFiles(rows, some, slugs));
			setLeftOut(tellLeftOut(files, good, some));
		},
		change: (name, fields) =>
			edit(rows.map((row) => (row.name === name ? { ...row, fields: { ...row.fields, ...fields } } : row))),
		propose: (name, product_slug) =>
			setRows((now) =>
				now.map((row) =>
					row.name === name && row.fields.product_slug === ""
						? { ...row, fields: { ...row.fields, product_slug } }
						: row,
				),
			),
		leaveOut: (name) => edit(rows.filter((row) => row.name !== name)),
		setCommon: (to) => {
			setCommon({ ...common, ...to });
			forget();
		},
		check,
		publish: () => void trial.carryOut(),
		sent,
		isBusy: sent !== null || trial.isBusy,
		error,
		problems: sortProblems(error?.problems ?? [], rows),
		would: trial.would,
		done: trial.done,
	};
}

function tellLeftOut(files: readonly File[], good: readonly File[], some: readonly File[]): string | null {
	const bad = files.filter((file) => !good.includes(file)).map(({ name }) => name);
	const told = [
		...(bad.length === 0 ? [] : [words.newCertificates.notPdf(bad.join(", "))]),
		...(some.length < good.length ? [words.newCertificates.tooMany(MAX_ROWS)] : []),
	];
	return told.length === 0 ? null : told.join(" ");
}
