import { existsSync } from "node:fs";
import { join } from "node:path";
import { openShop, type ShopOptions } from "./shop.ts";

/** Where a Holdfast listens that runs on this machine, and where the shop does. */
const LOCAL = { url: "http://127.0.0.1:4000", coaUrl: "http://127.0.0.1:4001", port: "3000" };

/** The settings, or in a sentence what is missing. */
function settingsIn(env: NodeJS.ProcessEnv): ShopOptions | string {
	const { HOLDFAST_TOKEN: token, HOLDFAST_URL: url = LOCAL.url, PORT = LOCAL.port, SHOP_URL: shopUrl } = env;
	const coaUrl = env.HOLDFAST_COA_URL ?? (url === LOCAL.url ? LOCAL.coaUrl : "");
	if (!token) {
		return "HOLDFAST_TOKEN is missing: put HOLDFAST_TOKEN=pk_…:sk_… into examples/storefront/.env. The first start of Holdfast printed such a sandbox key.";
	}
	if (coaUrl === "") return "HOLDFAST_COA_URL is missing: set it to the address of the certificates.";
	const folder = env.SHOP_FOLDER ?? join(import.meta.dirname, "data");
	return { url, coaUrl, token, port: Number(PORT), shopUrl, folder };
}

// npm says in INIT_CWD where it was called
for (const folder of [import.meta.dirname, process.env.INIT_CWD ?? process.cwd()]) {
	const file = join(folder, ".env");
	if (existsSync(file)) process.loadEnvFile(file); // what is set already stays
}
const settings = settingsIn(process.env);
try {
	if (typeof settings === "string") throw new Error(settings);
	const opening = openShop(settings);
	for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void opening.then((shop) => shop.close()));
	await opening;
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
