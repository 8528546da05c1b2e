import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Holdfast } from "@holdfast/partner";
import { CoaMirror, fileStore, InventoryMirror, type MirrorAlert } from "@holdfast/partner/mirror";
import { type Book, emptyBook, type Kept, openKept } from "./book.ts";
import { PRODUCTS } from "./catalogue.ts";
import { finishAll } from "./checkout.ts";
import { HOOK_PATH, type Hook, openHook } from "./hooks.ts";
import { readOrders } from "./orders.ts";
import { openPayments, type Payments } from "./payments.ts";
import { serve } from "./server.ts";

export interface ShopOptions {
	readonly url: string;
	readonly coaUrl: string;
	readonly token: string;
	readonly port: number;
	/** The address of the shop as Holdfast sees it; that on this machine unless given. */
	readonly shopUrl?: string | undefined;
	/** Where everything is kept. */
	readonly folder: string;
	/** Milliseconds between two refreshes; four minutes unless given. */
	readonly everyMs?: number;
	/** Tells a person: put your pager here. */
	readonly alert?: (text: string) => void;
	readonly log?: (text: string) => void;
}

/** What the files of the shop work with. */
export interface Shop {
	readonly holdfast: Holdfast;
	readonly inventory: InventoryMirror;
	readonly certificates: CoaMirror;
	readonly book: Kept<Book>;
	readonly payments: Payments;
	readonly log: (text: string) => void;
}

export async function openShop(options: ShopOptions): Promise<{ close(): Promise<void> }> {
	const { url, coaUrl, token, port, everyMs = 240_000, log = console.log, alert = console.error } = options;
	const isRefused = (): boolean => inventory.status().kind === "unauthorized";
	// a go-live run allows at most this many requests in 60 s, whatever the limit of the key
	const holdfast = new Holdfast({ baseUrl: url, coaUrl, token, requestsPerMinute: 60 });
	// copies, cursors and orders belong to the key
	const store = (name: string) => fileStore(join(options.folder, token.split(":")[0] ?? "", `${name}.json`));
	const mirror = (name: string) => ({
		holdfast,
		everyMs,
		store: store(name),
		onAlert: ({ kind, since, error }: MirrorAlert) =>
			alert(`ALERT: ${name} ${kind} since ${since.toISOString()}. ${error?.message ?? ""}`),
	});
	const skus = Object.fromEntries(PRODUCTS.map(({ id, sku }) => [id, sku]));
	const inventory = new InventoryMirror({ ...mirror("inventory"), skus });
	const certificates = new CoaMirror(mirror("certificates"));
	const book = await openKept(store("book"), emptyBook());
	const payments = await openPayments(store("payments"));
	const shop: Shop = { holdfast, inventory, certificates, book, payments, log };

	let hook: Hook | null | undefined;
	const server = await serve(shop, port, () => hook);
	const address = `http://127.0.0.1:${port}`;
	log(`The shop is at ${address}`);
	await Promise.all([inventory.start(), certificates.start()]);

	const stopped = new AbortController();
	const keepUp = async (): Promise<void> => {
		if (isRefused()) return; // the mirrors ask whether the key works again
		try {
			if (hook === undefined) hook = await openHook(shop, new URL(HOOK_PATH, options.shopUrl ?? address).href);
			await finishAll(shop);
			await readOrders(shop);
		} catch (error) {
			log(`${String(error)} Trying again later.`);
		}
	};
	const keepUpForever = async (): Promise<void> => {
		while (!stopped.signal.aborted) {
			await sleep(everyMs, undefined, { signal: stopped.signal }).then(keepUp, () => undefined);
		}
	};
	await keepUp();
	const keptUp = keepUpForever();
	return {
		async close() {
			stopped.abort();
			await Promise.all([server.close(), keptUp, inventory.stop(), certificates.stop()]);
		},
	};
}
