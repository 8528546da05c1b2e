import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCOPES } from "../../service/src/glossary.ts";
import { GetGoLive } from "../../service/src/upkeep/golive/admin-contract.ts";
import { StartGoLive } from "../../service/src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../service/src/upkeep/sandbox/admin-contract.ts";
import { type Answer, type House, openHouse } from "../../service/test/house.ts";
import { keepSecretsOf } from "../../service/test/leaks/secrets.ts";
import { operate } from "../../service/test/operate.ts";

/** A Holdfast that posts to this machine, and the folder of everything that a test writes. */
export interface Street {
	readonly house: House;
	readonly coaUrl: string;
	readonly folder: string;
	/** A sandbox key of a partner of its own, and what its shop is opened with. */
	newShop(): Promise<NewShop>;
	/** Starts a go-live run of a key. Gives what reads it. */
	startGoLive(pk: string, statusUrl: string): Promise<() => Promise<Record<string, unknown>>>;
	close(): Promise<void>;
}

export interface NewShop {
	readonly pk: string;
	readonly url: string;
	readonly coaUrl: string;
	readonly token: string;
	readonly port: number;
	readonly address: string;
	readonly folder: string;
	/** One request with its key. */
	call(path: string, body?: unknown): Promise<Answer>;
	/** The payments that were made, by their state. */
	payments(): Promise<string[]>;
}

export async function openStreet(): Promise<Street> {
	const folder = await mkdtemp(join(tmpdir(), "holdfast-storefront-"));
	const env = { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8", HOLDFAST_COA_STORE: join(folder, "coa") };
	const house = await openHouse({ env });
	const { socket, coa: coaUrl } = house;
	await operate({ socket }, RestockOperatorSandbox, {});
	const books: (() => Promise<string>)[] = [];
	return {
		house,
		coaUrl,
		folder,
		async newShop() {
			const request = { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false, scopes: SCOPES } as const;
			const { token, pk } = await house.mint(request);
			const port = await freePort();
			const own = join(folder, `shop-${books.length}`);
			const read = (name: string): Promise<string> => readFile(join(own, pk, `${name}.json`), "utf8").catch(() => "{}");
			books.push(() => read("book"));
			return {
				pk,
				url: house.api,
				coaUrl,
				token,
				port,
				address: `http://127.0.0.1:${port}`,
				folder: own,
				call: (path, body) => house.call(token, path, body === undefined ? {} : { body }),
				async payments() {
					const made = JSON.parse(await read("payments")) as Record<string, { readonly state: string }>;
					return Object.values(made).map(({ state }) => state);
				},
			};
		},
		async startGoLive(pk, statusUrl) {
			const { json } = await operate({ socket }, StartGoLive, { body: { key: pk, status_url: statusUrl } });
			const params = { id: String(json.data.golive_id) };
			return async () => (await operate({ socket }, GetGoLive, { params })).json.data;
		},
		async close() {
			for (const read of books) keepSecretsOf(await read());
			await house.close();
			await rm(folder, { recursive: true });
		},
	};
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}
