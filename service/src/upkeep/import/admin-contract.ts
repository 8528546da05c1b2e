import Type from "typebox";
import { DRY_RUN, FRESH_SIGN_IN_EXAMPLE, REASON } from "../../partners/admin/headers.ts";
import { adminWrite } from "../../partners/admin/operation.ts";
import { Id, OrNull, ReplyObject, RequestObject } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { type EntryKind, KINDS } from "./entries.ts";

/** Maximum rows of a section in a JSON body, which is limited to 1 MiB; files may have more. */
const MAX_ROWS = 20_000;
/** Maximum number of files in one import. */
const MAX_FILES = 50;

/** The rows of a section. The import itself reads them, so that it reports every problem of every row in one go. */
const Section = (description: string) =>
	Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }), { maxItems: MAX_ROWS, description }));
const Count = (kind: string) => Type.Integer({ description: `Rows of ${kind}.` });
const Counts = (title: string, description: string) =>
	Type.Object(
		{
			brands: Count("brands"),
			formulas: Count("formulas"),
			products: Count("products"),
			skus: Count("SKUs"),
			lots: Count("lots"),
			demand: Count("demand"),
			buffers: Count("buffers"),
			partners: Count("partners"),
			keys: Count("keys"),
		} satisfies Record<EntryKind, unknown>,
		{ title, description },
	);
const Value = (description: string) => Type.Union([Type.String(), Type.Integer(), Type.Null()], { description });

export const Report = ReplyObject("ImportReport", {
	dry_run: Type.Boolean({ description: "`true`: nothing was done." }),
	created: Counts("CreatedRows", "Rows that were created."),
	changed: Counts("ChangedRows", "Rows that were changed."),
	unchanged: Counts("UnchangedRows", "Rows that were unchanged."),
	changes: Type.Array(
		ReplyObject("ImportChange", {
			section: Type.Enum([...KINDS], { description: "The section of the row." }),
			name: Type.String({ description: "The name by which a person refers to it." }),
			change: Type.Enum(["create", "change"], { description: "What is done to it." }),
			fields: Type.Array(
				ReplyObject("ImportedField", {
					field: Type.String({ description: "The field." }),
					from: Value("Its value before; null: none."),
					to: Value("Its value now; null: none."),
				}),
				{ description: "The changed fields; of a new row its units." },
			),
		}),
		{ description: "Each row that was created or changed." },
	),
	formulas: Type.Array(
		ReplyObject("ImportedFormula", {
			code: Type.String({ description: "The code of the formula." }),
			formula_id: OrNull(Id("Its id; null: a dry run would create it.")),
		}),
		{ description: "The formulas of the import." },
	),
	lots: Type.Array(
		ReplyObject("ImportedLot", {
			formula: Type.String({ description: "The code of its formula." }),
			brand_code: OrNull(Type.String({ description: "The brand of its pool; null: the shared pool." })),
			batch_number: Type.String({ description: "Its batch number." }),
			fg_id: OrNull(Id("The lot; null: a dry run would create it.")),
			quarantined: Type.Boolean({
				description: "Units went into quarantine, because a lot of the batch number is recalled.",
			}),
		}),
		{ description: "The lots of the import." },
	),
	keys: Type.Array(
		ReplyObject("ImportedKey", {
			name: Type.String({ description: "Its name." }),
			partner: Type.String({ description: "The name of its partner." }),
			key_id: OrNull(Id("The key; null: a dry run would mint it.")),
			token: OrNull(Type.String({ description: "Of a new key, only this once; null: the key was there before." })),
		}),
		{ description: "The keys of the import." },
	),
	left_out: Type.Optional(
		Type.Integer({
			description:
				"Entries of `changes`, `formulas` and `lots` that are left out, because the stored report would be too large. Absent: none.",
		}),
	),
});

const none = { brands: 0, formulas: 0, products: 0, skus: 0, lots: 0, demand: 0, buffers: 0, partners: 0, keys: 0 };

export const ImportWorld = adminWrite({
	id: "import_world",
	method: "POST",
	path: "/admin/api/v1/imports",
	summary: "Import",
	description:
		"States what should exist: everything that is named is created or changed, all or nothing, and everything else stays as it is. The body has the sections and fields of a `world.json`; larger imports come as files: `.json`, or `.csv` named after a section (`skus.csv`). It is one transaction, so a run of it cannot be stopped half-way, and if its node dies, nothing is done. After a 202, once the run has ended, the same request under the same Idempotency-Key is answered with its reply, including the tokens of new keys. New live keys require the role `admin`; new keys of either kind require a sign-in that is less than ten minutes old.",
	files: {
		most: MAX_FILES,
		types: ["text/csv", "application/json"],
		description:
			"A `world.json` and CSV files named after their sections. Beside them `data` has only `dry_run`, `new_batch` and `reason`.",
	},
	problems: true,
	body: RequestObject("ImportRequest", {
		...DRY_RUN,
		...REASON,
		new_batch: Type.Optional(
			Type.Boolean({ description: "`true`: accept batch numbers that are nearly those of other batches." }),
		),
		brands: Section("Rows of {code, name}."),
		formulas: Section("Rows of {code, name, status}."),
		products: Section("Rows of {slug, name}."),
		skus: Section("Rows of {sku, name, product?, kind, vial_size?, components?: [{formula, per_kit}]}."),
		lots: Section("Rows of {formula, brand_code, batch_number, expires_on?, received_on?, units}; `units` in all."),
		demand: Section("Rows of {formula, brand_code, units, reference}; 0 removes it."),
		buffers: Section("Rows of {formula, brand_code, units}; 0 removes it."),
		partners: Section("Rows of {name}."),
		keys: Section(
			"Rows of {name, partner, environment, brand_code, preset or scopes, shared_pool, requests_per_minute?, max_held_units?, expires_at?}.",
		),
	}),
	replies: { 200: Report, 202: StartedRun },
	examples: {
		request: { brands: [{ code: "ACME", name: "Acme" }] },
		replies: {
			200: {
				dry_run: false,
				created: { ...none, brands: 1 },
				changed: none,
				unchanged: none,
				changes: [{ section: "brands", name: "ACME", change: "create", fields: [] }],
				formulas: [],
				lots: [],
				keys: [],
			},
			202: STARTED_RUN_EXAMPLE,
		},
		errors: {
			invalid_input:
				'skus.csv line 3, kind: must be single, kit or non_physical, not "kti"\nNothing was changed: fix the input and import it again.',
			forbidden: "Minting a live key requires the role admin: Acme Web Shop / web.",
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
		},
	},
});
