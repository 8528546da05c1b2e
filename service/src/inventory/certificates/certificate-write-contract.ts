import Type from "typebox";
import {
	DRY_RUN,
	DRY_RUN_REPLY,
	FRESH_SIGN_IN_EXAMPLE,
	REASON_MAX,
	WRITE_ERRORS,
} from "../../partners/admin/headers.ts";
import { adminEdit } from "../../partners/admin/operation.ts";
import { Id, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import {
	CERTIFICATE,
	CERTIFICATE_EXAMPLE,
	CERTIFICATE_PARAMS,
	NamedCertificate,
	NO_CERTIFICATE_OF,
} from "./admin-contract.ts";
import { CERTIFICATE_STATUSES, ENTERED_STATUSES } from "./certificate.ts";
import { MAX_PDF_BYTES, MAX_TEXT_LENGTH } from "./limits.ts";

/** Characters of a day, YYYY-MM-DD. */
const DAY_LENGTH = 10;

const Given = (description: string, most = MAX_TEXT_LENGTH) =>
	Type.Optional(OrNull(Text({ min: 1, max: most, description })));
const Same = (what: string) =>
	Type.Optional(Text({ min: 1, max: MAX_TEXT_LENGTH, description: `If given: the ${what} of the path.` }));
const ERRORS = {
	not_found: NO_CERTIFICATE_OF,
	...WRITE_ERRORS,
};

/** A field of a certificate that an import or a PUT changes. */
export const FieldChanged = ReplyObject("FieldChanged", {
	field: Type.String({
		description: "The field, named as in the columns of an import; `file` is the SHA-256 of the PDF.",
	}),
	from: OrNull(Type.Union([Type.String(), Type.Number()], { description: "The previous value." })),
	to: OrNull(Type.Union([Type.String(), Type.Number()], { description: "The new value." })),
});
const PutReply = ReplyObject("PutCertificate", {
	...CERTIFICATE,
	what: Type.Enum(["created", "changed", "unchanged"], { description: "What was done." }),
	fields: Type.Array(FieldChanged, { description: "What changed in an existing certificate." }),
	...DRY_RUN_REPLY,
});
const PUT_EXAMPLE = { ...CERTIFICATE_EXAMPLE, what: "created", fields: [] } as const;

export const PutCertificate = adminEdit({
	id: "put_certificate",
	method: "PUT",
	path: "/admin/api/v1/certificates/:slug/:batch",
	summary: "Create or change a certificate",
	description:
		"Sets the whole certificate: a field that is left out is empty afterwards. Only the PDF stays if the request has none. A new PDF replaces the previous one, which answers 410 from then on. The name of the product is that of the catalogue.",
	params: NamedCertificate,
	body: RequestObject("PutCertificateRequest", {
		product_slug: Same("product"),
		batch_number: Same("batch number"),
		vial_size: Given("As the laboratory names it."),
		tested_on: Given("The day of the test, `YYYY-MM-DD`.", DAY_LENGTH),
		lab_name: Given("The laboratory."),
		purity_pct: Type.Optional(
			OrNull(Type.Number({ minimum: 0, maximum: 100, description: "Per cent, at most two decimals." })),
		),
		status: Type.Enum([...ENTERED_STATUSES], {
			description: "A `draft` is seen by operators only; what was published cannot be a draft again.",
		}),
		reissue: Type.Optional(
			Type.Boolean({ description: "`true`: if the certificate is retired, a new one takes its place." }),
		),
		...DRY_RUN,
	}),
	files: {
		most: 1,
		types: ["application/pdf"],
		description: `The PDF, at most ${MAX_PDF_BYTES / 1024 / 1024} MiB. A new certificate needs one.`,
	},
	replies: { 200: PutReply, 201: PutReply },
	examples: {
		params: CERTIFICATE_PARAMS,
		request: { status: "current", tested_on: "2026-08-20", lab_name: "Northern Analytical", purity_pct: 99.12 },
		replies: {
			200: { ...PUT_EXAMPLE, what: "changed", fields: [{ field: "purity_pct", from: 99.1, to: 99.12 }] },
			201: PUT_EXAMPLE,
		},
		errors: {
			...ERRORS,
			not_found: 'There is no product "glow-serun": did you mean "glow-serum"?',
			not_possible_now:
				"The certificate of glow-serum C-2611 was retired for good: with reissue, a new certificate takes its place.",
		},
	},
});

const REASON = Type.Optional(
	Text({ min: 1, max: REASON_MAX, description: "The reason; it is kept with the certificate and in the audit log." }),
);
const STATUS_SET = {
	certificate_id: Id("The certificate."),
	from: Type.Enum([...CERTIFICATE_STATUSES], { description: "The previous status." }),
	status: Type.Enum([...CERTIFICATE_STATUSES], { description: "The status now." }),
	changed: Type.Boolean({ description: "`false`: the certificate had this status already, and nothing was done." }),
	...DRY_RUN_REPLY,
};
const SET_EXAMPLE = { certificate_id: CERTIFICATE_EXAMPLE.certificate_id, changed: true } as const;
const StatusSet = ReplyObject("CertificateStatusSet", STATUS_SET);

export const PublishCertificate = adminEdit({
	id: "publish_certificate",
	method: "POST",
	path: "/admin/api/v1/certificates/:slug/:batch/publish",
	summary: "Publish a certificate",
	description:
		"Publishes a draft, or an archived certificate again: it becomes `current`, and partners and buyers see it.",
	params: NamedCertificate,
	body: RequestObject("PublishCertificateRequest", { reason: REASON, ...DRY_RUN }),
	replies: { 200: StatusSet },
	examples: {
		params: CERTIFICATE_PARAMS,
		request: {},
		replies: { 200: { ...SET_EXAMPLE, from: "draft", status: "current" } },
		errors: {
			...ERRORS,
			not_possible_now: "This certificate cannot become current: it was retired for good. Import a new one.",
		},
	},
});

export const ArchiveCertificate = adminEdit({
	id: "archive_certificate",
	method: "POST",
	path: "/admin/api/v1/certificates/:slug/:batch/archive",
	summary: "Archive a certificate",
	description: "The batch is no longer sold; buyers still find the certificate.",
	params: NamedCertificate,
	body: RequestObject("ArchiveCertificateRequest", { reason: REASON, ...DRY_RUN }),
	replies: { 200: StatusSet },
	examples: {
		params: CERTIFICATE_PARAMS,
		request: {},
		replies: { 200: { ...SET_EXAMPLE, from: "current", status: "archived" } },
		errors: {
			...ERRORS,
			not_possible_now: "This certificate cannot become archived: it was retired for good. Import a new one.",
		},
	},
});

const StillForSale = ReplyObject("StillForSale", {
	lots: Type.Integer({ description: "Lots of the batch that are not recalled and have units." }),
	available: Type.Integer({ description: "Units of these lots that are free." }),
	bound: Type.Integer({ description: "Units of these lots that holds and orders have." }),
	recall: Type.Array(
		Type.Object({
			batch_number: Type.String({ description: "The batch number." }),
			formula: OrNull(
				Type.String({
					description: "The code of the formula; null: no other formula has lots of this batch number.",
				}),
			),
		}),
		{ description: "What to recall in order to stop the sale." },
	),
});
const Recalled = ReplyObject("RecalledWithCertificate", {
	fg_ids: Type.Array(Id(), { description: "The lots." }),
	moved: Type.Integer({ description: "Units that were put into quarantine." }),
	replaced: Type.Integer({ description: "Of those: units of holds and orders that were picked again elsewhere." }),
	lost: Type.Integer({ description: "Of those: units that holds and orders lost." }),
	left: Type.Integer({ description: "Units that holds and orders still have." }),
});

export const RetireCertificate = adminEdit({
	id: "retire_certificate",
	method: "POST",
	path: "/admin/api/v1/certificates/:slug/:batch/retire",
	summary: "Withdraw a certificate for good",
	description:
		"Immediately its PDF answers 410, and partners get a tombstone. Units of the batch stay for sale, and the reply says how many, unless `recall` recalls its lots in the same transaction.",
	params: NamedCertificate,
	body: RequestObject("RetireCertificateRequest", {
		reason: REASON,
		recall: Type.Optional(
			Type.Boolean({
				description: "`true`: recall the lots of the batch, too. The reason is kept in the ledger.",
			}),
		),
		...DRY_RUN,
	}),
	replies: {
		200: ReplyObject("CertificateRetired", {
			...STATUS_SET,
			still_for_sale: OrNull(StillForSale),
			recalled: OrNull(Recalled),
		}),
	},
	examples: {
		params: CERTIFICATE_PARAMS,
		request: { reason: "wrong method" },
		replies: {
			200: {
				...SET_EXAMPLE,
				from: "current",
				status: "retired",
				still_for_sale: { lots: 1, available: 110, bound: 7, recall: [{ batch_number: "C-2611", formula: null }] },
				recalled: null,
			},
		},
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			...ERRORS,
			not_possible_now: "This certificate cannot become retired: it is draft.",
		},
	},
});
