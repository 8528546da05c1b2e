import { type Listed, openCertificates } from "./certificates.ts";
import type { Client } from "./client.ts";
import type { Wrong } from "./wrong.ts";

/** What the shop sells. */
const SKUS = ["SBX-KIT", "SBX-LOW", "SBX-OUT", "SBX-PLENTY"] as const;

const MINUTE_MS = 60_000;
/** The age of the numbers that are shown by a shop with an old mirror. */
const OLD_MS = 10 * MINUTE_MS;

/** One read of the products. */
interface Read {
	readonly at: number;
	readonly counts: ReadonlyMap<string, number>;
}

/** What its pages are made of: a mirror of counts and certificates. */
export interface Shop {
	/** Reads the counts, and follows the certificates. */
	refresh(): Promise<void>;
	/** The document at its status address. */
	shown(): { readonly items: readonly object[] };
}

export function openShop(client: Client, coa: string, wrong: Wrong | null): Shop {
	const certificates = openCertificates(client, coa, wrong);
	const listed = new Map<string, Listed>();
	const reads: Read[] = [];

	const readProducts = async (): Promise<void> => {
		const counts = new Map<string, number>();
		const at = performance.now();
		for (let more: string | null = ""; more !== null; ) {
			const { status, data } = await client.ask({ method: "GET", url: `/api/v1/products?limit=100${more}` });
			if (status !== 200) return;
			for (const { sku, slug, availability, current_coa } of data.items) {
				counts.set(sku, availability.atp_qty);
				listed.set(sku, { slug, batch: current_coa?.batch_number ?? null });
			}
			more = data.has_more ? `&cursor=${encodeURIComponent(data.next_cursor)}` : null;
		}
		reads.push({ at, counts });
	};

	const numbers = (): ReadonlyMap<string, number> | undefined => {
		if (wrong !== "has-an-old-mirror") return reads.at(-1)?.counts;
		return (reads.findLast(({ at }) => at <= performance.now() - OLD_MS) ?? reads[0])?.counts;
	};

	const hidden = (sku: string): object =>
		wrong === "shows-0-on-401"
			? { sku, shown_qty: 0, hidden: false, coa_url: null }
			: { sku, shown_qty: null, hidden: true, coa_url: null };

	return {
		async refresh() {
			await readProducts();
			if (!client.refused()) await certificates.follow();
			certificates.link(listed);
		},
		shown() {
			if (client.refused()) return { items: SKUS.map(hidden) };
			const counts = numbers();
			return {
				items: SKUS.map((sku) => ({
					sku,
					shown_qty: counts?.get(sku) ?? null,
					hidden: false,
					coa_url: certificates.linked(sku),
				})),
			};
		},
	};
}
