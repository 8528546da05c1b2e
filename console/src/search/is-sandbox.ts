/** Fields whose value says that a row belongs to the sandbox, as its brand and its environment do. */
const FIELDS = ["brand_code", "environment", "code"] as const;
/** Fields whose values begin with the sandbox's prefix if the row belongs to it. */
const NAMES = ["sku", "formula", "code", "slug", "name"] as const;
const ASKED = /sbx|sandbox/i;

/** Whether the text of a search names the sandbox. */
export const asksForSandbox = (q: string): boolean => ASKED.test(q);

/** Whether a row of the API belongs to the sandbox. */
export function isSandbox(row: unknown): boolean {
	const valueOf = (field: string): string => {
		const value: unknown = Object.entries(row ?? {}).find(([name]) => name === field)?.[1];
		return typeof value === "string" ? value.toLowerCase() : "";
	};
	return FIELDS.some((field) => valueOf(field) === "sandbox") || NAMES.some((name) => valueOf(name).startsWith("sbx-"));
}
