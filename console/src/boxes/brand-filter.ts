import { useRead } from "../api/use.ts";
import type { Filter } from "../parts/list.tsx";

/** Maximum number of brands that a list can be filtered by. */
const MOST_BRANDS = 500;
/** The brand of the sandbox, whose boxes are shown only if it is chosen. */
const SANDBOX = "SANDBOX";

/** A filter by brand. It is a choice, not a text field, so that a scan cannot end up in it. */
export function useBrandFilter(label: string): Filter {
	const { data } = useRead("list_brands", { query: { limit: MOST_BRANDS } });
	const brands = (data?.items ?? []).filter(({ code }) => code !== SANDBOX);
	const options = brands.map(({ code, name }) => [code, `${name} (${code})`] as const);
	return { name: "brand_code", label, options: [...options, SANDBOX] };
}
