/** Fields whose value says that a row belongs to the sandbox, as its brand and its environment do. */
const FIELDS = ["brand_code", "environment", "code"] as const;
/** Fields with names that begin so if they are the sandbox's. */
const NAMES = ["sku", "formula", "code", "slug", "name"] as const;
const ASKED = /sbx|sandbox/i;

/** Whether a text asks for what is in the sandbox. */
export const asksForSandbox = (q: string): boolean => ASKED.test(q);

/** Whether a row of the API is of the sandbox. */
export function isSandbox(row: unknown): boolean {
	const valueOf = (field: string): string => {
		const value: unknown = Object.entries(row ?? {}).find(([name]) => name === field)?.[1];
		return typeof value === "string" ? value.toLowerCase() : "";
	};
	return FIELDS.some((field) => valueOf(field) === "sandbox") || NAMES.some((name) => valueOf(name).startsWith("sbx-"));
}
