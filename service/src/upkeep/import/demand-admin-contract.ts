import { CHANGES, CHANGES_EXAMPLE } from "../../inventory/demand/admin-contract.ts";
import { DRY_RUN, DRY_RUN_REPLY } from "../../partners/admin/headers.ts";
import { adminWrite } from "../../partners/admin/operation.ts";
import { ReplyObject, RequestObject } from "../../partners/http/text.ts";

/** Maximum number of CSV files in one import of demand. */
const MAX_FILES = 20;

export const ImportDemand = adminWrite({
	id: "import_demand",
	method: "POST",
	path: "/admin/api/v1/demand/imports",
	summary: "Import demand from CSV files",
	description:
		"Columns `formula,brand_code,units,reference`: adds demand, or replaces that of the formula and brand under the reference; 0 units removes it. All or nothing: a refusal names every problem.",
	body: RequestObject("ImportDemandRequest", DRY_RUN),
	files: { most: MAX_FILES, types: ["text/csv"], description: "CSV files of demand, at least one." },
	problems: true,
	replies: { 200: ReplyObject("ImportedDemand", { ...CHANGES, ...DRY_RUN_REPLY }) },
	examples: {
		request: {},
		replies: { 200: CHANGES_EXAMPLE },
		errors: {
			invalid_input:
				'open-orders.csv line 2, formula: there is no formula "CALM": did you mean "CALM-60"?\nNothing was changed: fix the input and import it again.',
		},
	},
});
