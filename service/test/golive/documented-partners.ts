import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { must } from "../../src/ground/lib/assert.ts";
import { ROOT } from "../tidy/source.ts";
import type { PartnerAccess, Program } from "./partner-town.ts";

/*
 * Two partners whose mirrors are the samples of the guides, word for word, with the addresses and the key filled in:
 * those of the SDK, and those by hand. What stands around them is their site: a status page that shows what the
 * mirrors have, as the guide on going live asks.
 */

const WRITTEN = { api: "http://127.0.0.1:4000", coa: "http://127.0.0.1:4001", key: "pk_hf_sandbox_…:sk_hf_sandbox_…" };

/** The sample of a guide in a language with this text in it. */
async function sampleOf(guide: string, language: string, words: string): Promise<string> {
	const text = await readFile(path.join(ROOT, "docs/partner", guide), "utf8");
	const samples = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
		([, code = ""]) => code,
	);
	return must(
		samples.find((code) => code.includes(words)),
		`a sample in ${language} of ${guide} with ${words}`,
	);
}

const filledIn = (code: string, { api, coa, token }: PartnerAccess): string =>
	code.replaceAll(WRITTEN.api, api).replaceAll(WRITTEN.coa, coa).replaceAll(WRITTEN.key, token);

/** Serves `items()` as the status document, prints its address, and ends with the process that started it. */
const STATUS_PAGE = `
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(), 10_000).unref();
const page = createServer(async (request, response) => {
	if (request.url === "/status.json") response.end(JSON.stringify({ items: await items() }));
	else response.writeHead(404).end();
});
page.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + page.address().port));
`;

const SITE_OF_KIT = `import { createServer } from "node:http";
import { isKnown } from "@holdfast/partner";
import { certificates } from "./certificates.ts";
import { stock } from "./stock.ts";

const PRODUCTS = [["glow-serum", "SBX-PLENTY"], ["night-cream", "SBX-LOW"]] as const;
const items = () => PRODUCTS.map(([product, sku]) => {
	const count = stock.count(product);
	const coa = certificates.current(sku.toLowerCase());
	return {
		sku,
		shown_qty: isKnown(count) ? count.qty : null,
		hidden: !isKnown(count),
		coa_url: coa.kind === "unknown" ? null : (coa.items.at(-1)?.certificateUrl ?? null),
	};
});
${STATUS_PAGE.replace("page.address().port", "(page.address() as { port: number }).port")}`;

/** Milliseconds from one run of the mirrors by hand to the next, as the guides say. */
const EVERY_MS = 240_000;
/** Age from which on a number by hand is no longer shown, in seconds, as the guide says. */
const STALE_SECONDS = 600;

const SITE_BY_HAND = `import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const SKUS = ["SBX-PLENTY", "SBX-LOW"];
const read = async (file, otherwise) => JSON.parse(await readFile(file, "utf8").catch(() => otherwise));
async function items() {
	const stock = await read("stock.json", '{"refused":true}');
	const { records } = await read("coa.json", '{"records":{}}');
	const isHidden = stock.refused || Date.now() / 1000 - stock.read_at > ${STALE_SECONDS};
	return SKUS.map((sku) => {
		const shown = Object.values(records).filter((one) => one.product.slug === sku.toLowerCase() && one.status === "current");
		return {
			sku,
			shown_qty: isHidden ? null : (stock.counts[sku] ?? null),
			hidden: isHidden,
			coa_url: isHidden ? null : (shown.at(-1)?.certificate_url ?? null),
		};
	});
}
const refresh = () => new Promise((resolve) => spawn("sh", ["-c", "python3 mirror.py && node mirror.mjs"], { stdio: ["ignore", "ignore", "inherit"] }).on("close", resolve));
await refresh();
setInterval(refresh, ${EVERY_MS});
${STATUS_PAGE}`;

/** The partner whose mirrors are those of the SDK. `folder`: where its program is written. */
export const withTheKit =
	(folder: string) =>
	async (access: PartnerAccess): Promise<Program> => {
		await mkdir(path.join(folder, "node_modules/@holdfast"), { recursive: true });
		await symlink(path.join(ROOT, "sdk"), path.join(folder, "node_modules/@holdfast/partner"));
		const stock = await sampleOf("counts.md", "ts", "new InventoryMirror");
		const certificates = await sampleOf("coa.md", "ts", "new CoaMirror");
		const files = {
			"package.json": '{"type":"module"}',
			"holdfast.ts": filledIn(await sampleOf("quickstart.md", "ts", "// holdfast.ts"), access),
			"stock.ts": `${filledIn(stock, access)}\nexport { stock };\n`,
			"certificates.ts": `${filledIn(certificates, access)}\nexport { certificates };\n`,
			"site.ts": SITE_OF_KIT,
		};
		for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
		return { args: ["--disable-warning=ExperimentalWarning", "site.ts"], cwd: folder };
	};

/** The partner whose mirrors are the programs that the guides print for those without the SDK. */
export const byHand =
	(folder: string) =>
	async (access: PartnerAccess): Promise<Program> => {
		const files = {
			"holdfast.py": filledIn(await sampleOf("quickstart.md", "python", "# holdfast.py"), access),
			"mirror.py": await sampleOf("counts.md", "python", "# mirror.py"),
			"mirror.mjs": await sampleOf("coa.md", "js", "node mirror.mjs"),
			"site.mjs": SITE_BY_HAND,
		};
		for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
		return { args: ["site.mjs"], cwd: folder, env: { COA_URL: access.coa, COA_KEY: access.token } };
	};
