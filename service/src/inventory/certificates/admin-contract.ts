import Type from "typebox";
import { adminOperation } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Day, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { CERTIFICATE_STATUSES } from "./certificate.ts";
import { MAX_COPIES, MAX_LABELS, MAX_TEXT_LENGTH } from "./limits.ts";

const PDF = "application/pdf";
export const SVG = "image/svg+xml";

const Lot = ReplyObject("CertifiedLot", {
	fg_id: Id("The lot."),
	formula: Type.String({ description: "The code of its formula." }),
	brand_code: OrNull(Type.String({ description: "The brand of its pool; null: the shared pool." })),
	recalled: Type.Boolean({ description: "Whether the lot is recalled." }),
});

export const CERTIFICATE = {
	certificate_id: Id("The certificate. One that is issued again has another id."),
	slug: Type.String({ description: "The product." }),
	product_name: Type.String({ description: "The product's name when it was last imported." }),
	batch_number: Type.String({ description: "The batch number on the label." }),
	vial_size: OrNull(Type.String({ description: "As the laboratory names it." })),
	tested_on: OrNull(Day("The day of the test.")),
	lab_name: OrNull(Type.String({ description: "The laboratory." })),
	purity_pct: OrNull(Type.Number({ minimum: 0, maximum: 100, description: "Per cent, at most two decimals." })),
	status: Type.Enum([...CERTIFICATE_STATUSES], { description: "A `draft` is seen by operators only." }),
	environment: Type.Enum(["live", "sandbox"], {
		description: "Whether it is of a product that is sold, or of a test product.",
	}),
	digest: Type.String({ description: "SHA-256 of its PDF, in hexadecimal." }),
	size: Type.Integer({ description: "Bytes of its PDF." }),
	published_at: OrNull(Instant("When it last became current; null: never.")),
	retired_at: OrNull(Instant("When it was retired; null: it is not retired.")),
	retire_reason: OrNull(Type.String({ description: "The reason for retiring it; `recall`: a lot was recalled." })),
	changed_by: Type.String({ description: "`operator:<name>` or `system:<what>`: who changed it last." }),
	updated_at: Instant("When it was last changed."),
	lots: Type.Array(Lot, {
		description: "The lots that it covers. None: no unit of the batch was received, or the batch number is wrong.",
	}),
	certificate_url: OrNull(
		Type.String({ description: "The public address of its PDF; null: a draft or a retired one has none." }),
	),
	verify_url: Type.String({ description: "The page on which a buyer looks the batch up." }),
};
const Certificate = ReplyObject("OperatorCertificate", CERTIFICATE);

const ID = "0199f0a0-0000-7000-8000-0000000000c1";
const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const COA_URL = "https://coa.example.com/coa";
export const CERTIFICATE_EXAMPLE = {
	certificate_id: ID,
	slug: "glow-serum",
	product_name: "Glow Serum",
	batch_number: "C-2611",
	vial_size: "30 ml",
	tested_on: "2026-08-20",
	lab_name: "Northern Analytical",
	purity_pct: 99.12,
	status: "current",
	environment: "live",
	digest: DIGEST,
	size: 84213,
	published_at: "2026-09-05T09:30:00.000Z",
	retired_at: null,
	retire_reason: null,
	changed_by: "operator:erin",
	updated_at: "2026-09-05T09:30:00.000Z",
	lots: [{ fg_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7e", formula: "GLOW-30", brand_code: "ACME", recalled: false }],
	certificate_url: `${COA_URL}/file/${ID}/${DIGEST}`,
	verify_url: `${COA_URL}/lookup?lot=C-2611`,
} as const;

const Filter = (description: string) => Type.Optional(Text({ min: 1, max: MAX_TEXT_LENGTH, description }));
export const NO_CERTIFICATE_OF = 'There is no certificate of product "glow-serum" and batch "C-2611".';

export const ListCertificates = adminOperation({
	id: "list_certificates",
	method: "GET",
	path: "/admin/api/v1/certificates",
	summary: "List certificates",
	description:
		"By product and batch number, drafts and retired ones too. A product that does not exist and a batch number without any certificate are `not_found`, because an empty list would mislead.",
	query: pageQuery({
		status: Type.Optional(Type.Enum([...CERTIFICATE_STATUSES], { description: "Only certificates of this status." })),
		product: Filter("Only certificates of the product with this slug."),
		batch_number: Filter("Only certificates of this batch number, as it is written."),
		q: Filter("Only certificates whose batch number, product, product's name or laboratory contains this."),
	}),
	replies: { 200: pageOf(Certificate, "OperatorCertificates") },
	examples: {
		request: { status: "current" },
		replies: { 200: { items: [CERTIFICATE_EXAMPLE], next_cursor: null } },
		errors: { not_found: 'There is no certificate of batch "c2611": did you mean "C-2611"?' },
	},
});

export const NamedCertificate = Type.Object({
	slug: Text({ min: 1, max: MAX_TEXT_LENGTH, description: "The product." }),
	batch: Text({ min: 1, max: MAX_TEXT_LENGTH, description: "The batch number, as it is on the label." }),
});
export const CERTIFICATE_PARAMS = { slug: "glow-serum", batch: "C-2611" };

export const GetCertificate = adminOperation({
	id: "get_certificate",
	method: "GET",
	path: "/admin/api/v1/certificates/:slug/:batch",
	summary: "Read a certificate",
	description: "The one that is not retired, or else the one that was retired last.",
	params: NamedCertificate,
	conditional: true,
	replies: { 200: Certificate },
	examples: {
		params: CERTIFICATE_PARAMS,
		replies: { 200: CERTIFICATE_EXAMPLE },
		errors: { not_found: NO_CERTIFICATE_OF },
	},
});

export const GetCertificateQr = adminOperation({
	id: "get_certificate_qr",
	method: "GET",
	path: "/admin/api/v1/certificates/:slug/:batch/qr.svg",
	summary: "Draw the QR code of a certificate's batch",
	description: "It leads to the page on which a buyer looks the batch up (`verify_url`).",
	params: NamedCertificate,
	replies: {},
	contents: { 200: { [SVG]: { example: '<svg xmlns="http://www.w3.org/2000/svg" …></svg>' } } },
	examples: { params: CERTIFICATE_PARAMS, replies: {}, errors: { not_found: NO_CERTIFICATE_OF } },
});

/* Labels change nothing, so a repeat draws them again; no reply is kept under an Idempotency-Key. */

export const PrintLotLabels = adminOperation({
	id: "print_lot_labels",
	method: "POST",
	path: "/admin/api/v1/certificates/labels",
	summary: "Print labels of batches",
	description:
		"A sheet of labels as PDF, for each certificate of the batches that is not retired: QR code, product and batch number. It changes nothing; the audit log records who printed it.",
	body: RequestObject("LotLabelsRequest", {
		batch_numbers: Type.Array(Text({ min: 1, max: MAX_TEXT_LENGTH }), {
			minItems: 1,
			maxItems: MAX_LABELS,
			description: "The batch numbers, in the order of the labels.",
		}),
		copies: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: MAX_COPIES,
				description: `Labels for each batch number (1); at most ${MAX_LABELS} labels in all.`,
			}),
		),
		paper: Type.Optional(Type.Enum(["A4", "LETTER"], { description: "A4: 3 by 8 labels; LETTER: 3 by 10 (A4)." })),
	}),
	replies: {},
	contents: { 200: { [PDF]: {} } },
	replyHeaders: {
		"X-Labels": "How many labels there are.",
		"X-Verify-Url": "The page that the first label leads to.",
		"Content-Disposition": "With a name for the file.",
	},
	examples: {
		request: { batch_numbers: ["C-2611"], copies: 24 },
		replies: {},
		errors: { not_found: 'Batch "C-2612" has no certificate, or only a retired one.' },
	},
});
