import Type from "typebox";
import { ENTERED_STATUSES } from "../../inventory/certificates/certificate.ts";
import { FieldChanged } from "../../inventory/certificates/certificate-write-contract.ts";
import { MAX_PDF_BYTES } from "../../inventory/certificates/limits.ts";
import { CONFLICT_EXAMPLE, DRY_RUN, DRY_RUN_REPLY, RETRY_EXAMPLE } from "../../partners/admin/headers.ts";
import { adminWrite } from "../../partners/admin/operation.ts";
import { MAX_FORM_BYTES } from "../../partners/http/form.ts";
import { Id, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { MAX_FILES, MAX_STORED } from "./limits.ts";

const MIB = 1024 * 1024;
/** Maximum code points of a file's name, and characters of a SHA-256. */
const MAX_NAME = 255;
const DIGEST_LENGTH = 64;
const PDF = "application/pdf";
const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const ERRORS = { retry: RETRY_EXAMPLE, idempotency_conflict: CONFLICT_EXAMPLE };

export const StoreCertificateFiles = adminWrite({
	id: "store_certificate_files",
	method: "POST",
	path: "/admin/api/v1/certificates/files",
	summary: "Store PDFs for an import",
	description: `For an import whose PDFs do not fit into one request of ${MAX_FORM_BYTES / MIB} MiB: each is stored under its SHA-256, all or none, and nobody sees a PDF before a certificate refers to it.`,
	body: RequestObject("StoreCertificateFilesRequest", {}),
	files: { most: MAX_FILES, types: [PDF], description: `PDFs, each at most ${MAX_PDF_BYTES / MIB} MiB.` },
	problems: true,
	replies: {
		200: ReplyObject("StoredCertificateFiles", {
			items: Type.Array(
				ReplyObject("StoredCertificateFile", {
					name: Type.String({ description: "The name that it was sent with." }),
					sha256: Type.String({ description: "In hexadecimal." }),
					bytes: Type.Integer({ description: "Its size." }),
				}),
				{ description: "In the order sent; an import takes them as its `stored`." },
			),
		}),
	},
	examples: {
		request: {},
		replies: { 200: { items: [{ name: "c-2611.pdf", sha256: DIGEST, bytes: 84213 }] } },
		errors: ERRORS,
	},
});

export const ImportCertificates = adminWrite({
	id: "import_certificates",
	method: "POST",
	path: "/admin/api/v1/certificates/imports",
	summary: "Import certificates",
	description:
		"A table, `certificates.csv`, with the PDFs that its column `file` names: with the request, or stored before (`stored`). All or nothing: every problem is named by line and column, and the same import again changes nothing. A row about an existing certificate updates it.",
	body: RequestObject("ImportCertificatesRequest", {
		reissue: Type.Optional(
			Type.Boolean({ description: "`true`: new certificates may take the place of retired ones." }),
		),
		stored: Type.Optional(
			Type.Array(
				RequestObject("CertificateFileGiven", {
					name: Text({ min: 1, max: MAX_NAME, description: "The name that the table has." }),
					sha256: Text({ min: DIGEST_LENGTH, max: DIGEST_LENGTH, description: "In hexadecimal, lower case." }),
					bytes: Type.Integer({ minimum: 0, description: "Its size." }),
				}),
				{
					maxItems: MAX_STORED,
					description:
						"PDFs that do not come with the request. Those of certificates that are created, or get another PDF, must be in the store; a dry run does not check this.",
				},
			),
		),
		...DRY_RUN,
	}),
	files: {
		most: MAX_FILES + 1,
		types: ["text/csv", PDF],
		description: `The table, as the only file whose name ends in \`.csv\`, and PDFs, each at most ${MAX_PDF_BYTES / MIB} MiB.`,
	},
	problems: true,
	replies: {
		200: ReplyObject("ImportedCertificates", {
			created: Type.Integer({ description: "Certificates that were created." }),
			changed: Type.Integer({ description: "Certificates that were changed." }),
			unchanged: Type.Integer({ description: "Certificates that were unchanged." }),
			without_lot: Type.Array(
				ReplyObject("CertificateWithoutLot", {
					slug: Type.String({ description: "The product." }),
					batch_number: Type.String({ description: "The batch number." }),
				}),
				{ description: "Certificates whose batch has no lot: it has not arrived yet, or the batch number is wrong." },
			),
			changes: Type.Array(
				ReplyObject("CertificateImported", {
					slug: Type.String({ description: "The product." }),
					batch_number: Type.String({ description: "The batch number." }),
					status: Type.Enum([...ENTERED_STATUSES], { description: "The status in the table." }),
					what: Type.Enum(["created", "changed"], { description: "What was done." }),
					fields: Type.Array(FieldChanged, { description: "What changed in an existing certificate." }),
					certificate_id: OrNull(Id("The certificate that was changed; null: it was created.")),
				}),
				{ description: "Those that are not unchanged, in the order of the table." },
			),
			...DRY_RUN_REPLY,
		}),
	},
	examples: {
		request: { stored: [{ name: "c-2611.pdf", sha256: DIGEST, bytes: 84213 }] },
		replies: {
			200: {
				created: 1,
				changed: 0,
				unchanged: 0,
				without_lot: [],
				changes: [
					{
						slug: "glow-serum",
						batch_number: "C-2611",
						status: "current",
						what: "created",
						fields: [],
						certificate_id: null,
					},
				],
			},
		},
		errors: {
			...ERRORS,
			invalid_input:
				"certificates.csv line 2, tested_on: must be a day, YYYY-MM-DD\nNothing was changed: fix the input and import it again.",
		},
	},
});
