import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Books } from "./books.ts";
import { type Catalogue, toCatalogue } from "./catalogue.ts";
import { type Counting, compare } from "./compare.ts";
import { Drive, inOrder, type Shop } from "./drive.ts";
import { Fulfilment, type FulfilmentDeps } from "./fulfil.ts";
import { GoodsIn } from "./goods-in.ts";
import { Client } from "./http.ts";
import { type Demand, readRows, toDemand } from "./invoices.ts";
import { type Kills, killThem } from "./killer.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { type Order, toOrders } from "./orders.ts";
import { OwnService } from "./own-service.ts";
import { Partner } from "./partner.ts";
import { Receiving } from "./receiving.ts";
import { Progress, toReport, toTable, type Verified } from "./report.ts";
import { type Stock, toStock } from "./stock.ts";
import { Tally } from "./tally.ts";
import { recallsOf } from "./work.ts";
import { toWorld } from "./world.ts";

/** Everything derived from the file and the seed, before the first request to the service. */
interface Plan {
	readonly demand: Demand;
	readonly catalogue: Catalogue;
	readonly orders: Order[];
	readonly stock: Stock;
}

/** The fields of `holdfast import --json` that the replay needs. */
interface Imported {
	readonly formulas: readonly { readonly code: string; readonly formula_id: string }[];
	readonly lots: readonly {
		readonly formula: string;
		readonly brand_code: string | null;
		readonly batch_number: string;
		readonly fg_id: string;
	}[];
	readonly keys: readonly { readonly name: string; readonly token: string | null }[];
}

const progress = new Progress();

function makePlan({ file, seed, limit }: Options): Plan {
	// npm runs scripts in the root of the repository, but the file is relative to the folder of the command
	const path = resolve(process.env["INIT_CWD"] ?? ".", file);
	const demand = toDemand(readRows(path), limit);
	const catalogue = toCatalogue(demand, seed);
	const orders = toOrders(demand.invoices, catalogue, seed);
	return { demand, catalogue, orders, stock: toStock(catalogue, orders, seed, Date.now()) };
}

/** The books before the first order: the imported stock without expired lots. */
function openBooks({ stock }: Plan, idOf: ReadonlyMap<string, string>): Books {
	const books = new Books();
	const id = (formula: string) => idOf.get(formula) as string;
	for (const lot of stock.lots) {
		if (!stock.expired.has(lot)) books.received(id(lot.formula), lot.brand_code, lot.units);
	}
	for (const row of [...stock.demand, ...stock.buffers]) books.promised(id(row.formula), row.brand_code, row.units);
	return books;
}

async function replay(options: Options, plan: Plan, service: OwnService | null): Promise<boolean> {
	const importing = performance.now();
	const text = service
		? await service.import("world.json", toWorld(plan.catalogue, plan.stock))
		: readFileSync(options.service?.imported as string, "utf8");
	const imported = JSON.parse(text) as Imported;
	progress.say(
		`${plan.stock.lots.length} lots of ${plan.catalogue.formulas.size} formulas imported in ${seconds(importing)} s`,
	);
	const starting = performance.now();
	await service?.start();
	if (service) progress.say(`service ready after ${seconds(starting)} s at ${service.url}`);

	const client = new Client(service?.url ?? (options.service?.url as string));
	const tally = new Tally();
	const tokenOf = new Map(imported.keys.map((key) => [key.name, key.token ?? missingToken(key.name)] as const));
	const idOf = new Map(imported.formulas.map((formula) => [formula.code, formula.formula_id] as const));
	const partners = new Map(
		[...tokenOf].map(([name, token]) => [name, new Partner(name, client, token, tally, options.kill > 0)] as const),
	);
	const books = openBooks(plan, idOf);
	const rough = options.kill > 0;
	const goodsIn = new GoodsIn();
	const receiving = new Receiving({ service, goodsIn, books, tally, idOf, rough });
	const { seed } = options;
	const { catalogue, stock } = plan;
	const recalled = new Set(
		options.fulfil ? recallsOf(stock, seed).flatMap((lots) => lots.map((lot) => lot.formula)) : [],
	);
	const plenty = new Set([...stock.plenty].filter((formula) => !recalled.has(formula)));
	const deps = { seed, rough, client, books, tally, catalogue, stock, goodsIn, idOf, tokenOf };
	const fulfilment = options.fulfil && service ? openFulfilment(deps, imported, service, receiving) : null;
	receiving.lots = fulfilment?.lots ?? null;
	const ordering = fulfilment?.ordering ?? null;
	const shop: Shop = { seed, catalogue, idOf, plenty, partners, books, tally, goodsIn, ordering, recalled };

	const counting = { client, books, articles: plan.catalogue.articles, idOf, tokenOf };
	if (service === null) await requireAsImported(counting);
	const driving = drive(options, plan, shop, service, receiving, fulfilment);
	const driven = await (fulfilment ? Promise.race([driving, fulfilment.failed]) : driving);
	const ordersReport = (await fulfilment?.audit((share) => progress.update("reading orders", share, ""))) ?? null;
	const comparison = await compare(counting, (share) => progress.update("counting", share, ""));
	const stillHeld = books.openAt(Date.now());
	const verified = await verify(service);
	client.close();
	const report = toReport({
		file: options.file,
		seed: options.seed,
		inFlight: options.inFlight,
		orders: plan.orders,
		rows: plan.demand.rows,
		tally,
		...driven,
		comparison,
		ordersReport,
		stillHeld,
		verified,
	});
	process.stderr.write("\n");
	process.stdout.write(`${options.json ? JSON.stringify(report, null, "\t") : toTable(report)}\n`);
	return report.ok;
}

/** The orders' part of the replay, for a service of our own. */
function openFulfilment(
	deps: Omit<FulfilmentDeps, "imported" | "databaseUrl" | "coaUrl" | "receive">,
	{ lots }: Imported,
	service: OwnService,
	receiving: Receiving,
): Fulfilment {
	const imported = lots.map(({ fg_id, formula, brand_code, batch_number }) => ({
		fgId: fg_id,
		formulaId: deps.idOf.get(formula) as string,
		pool: brand_code,
		batch: batch_number,
	}));
	const { coaUrl } = service;
	return new Fulfilment({
		...deps,
		imported,
		databaseUrl: service.databaseUrl(),
		coaUrl,
		receive: () => receiving.receive(),
	});
}

/** A service that is not ours may have been used since the import; its counts would then differ without being wrong. */
async function requireAsImported(counting: Counting): Promise<void> {
	const { differences } = await compare(counting, (share) => progress.update("counting before the drive", share, ""));
	if (differences.length === 0) return;
	throw new Error(
		`${differences.length} counts are not as imported (${differences[0]?.sku}, …): was the service used since, or the world written from another file, seed or limit?`,
	);
}

/**
 * Drives every order, kills processes if requested, receives returned goods, and waits for the holds left to expire.
 */
async function drive(
	options: Options,
	{ orders }: Plan,
	shop: Shop,
	service: OwnService | null,
	receiving: Receiving,
	fulfilment: Fulfilment | null,
) {
	const { tally, books } = shop;
	const kills: Kills = { service: 0, postgres: 0 };
	const road = new Drive(shop);
	let begun = 0;
	let month = orders[0]?.at.slice(0, 7);
	const killing = service
		? killThem(
				service,
				options.kill,
				() => begun / orders.length,
				kills,
				(line) => progress.say(line),
			)
		: undefined;
	const started = performance.now();
	await fulfilment?.begin();
	await Promise.all([
		killing,
		inOrder(orders, options.inFlight, async (order) => {
			begun += 1;
			fulfilment?.turn(begun / orders.length);
			if (order.at.slice(0, 7) !== month) {
				month = order.at.slice(0, 7);
				void receiving.receive().catch(() => undefined); // the next call reports it
			}
			await road.take(order);
			const rate = Math.round(tally.total / ((performance.now() - started) / 1000));
			const refusals = [...tally.refusals].map(([code, count]) => `${code} ${count}`).join(", ");
			progress.update("driving", begun / orders.length, `${order.at.slice(0, 10)}  ${rate} operations/s  ${refusals}`);
		}),
	]);
	const elapsed = (performance.now() - started) / 1000;
	const operationsInTime = tally.total;
	await receiving.receive();
	if (options.fast) road.hurry();
	else progress.say(`waiting for ${books.openAt(Date.now())} open holds to run out or be used late`);
	await road.ranOut();
	if (fulfilment) {
		progress.say(`the warehouse has ${fulfilment.warehouse.waiting} orders left to process`);
		await fulfilment.finish((share) => progress.update("shipping", share, ""));
	}
	await road.findDoubles();
	await receiving.receive();
	if (fulfilment) await road.readForgotten();
	return { seconds: elapsed, operationsInTime, kills };
}

async function verify(service: OwnService | null): Promise<Verified> {
	if (service === null) return { verify: "not run: the service is not ours", clean: true };
	progress.say("holdfast verify");
	const ran = await service.holdfast("verify", "--json");
	if (ran.code === 0) return { verify: "clean", clean: true };
	return { verify: `exit ${ran.code}: ${ran.stdout}${ran.stderr}`, clean: false };
}

function missingToken(name: string): never {
	throw new Error(`the import gave no token for key ${name}: it was minted before. Import into an empty service`);
}

async function stopEarly(service: OwnService | null, code: number): Promise<void> {
	progress.say("stopping");
	await service?.stop();
	service?.remove();
	process.exit(code);
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

async function main(): Promise<number> {
	const options = readOptions(process.argv.slice(2));
	if (options === "help") {
		process.stdout.write(`${HELP}\n`);
		return 0;
	}
	const plan = makePlan(options);
	if (options.writeWorld !== null) {
		writeFileSync(options.writeWorld, JSON.stringify(toWorld(plan.catalogue, plan.stock)));
		progress.say(
			`${options.writeWorld} written; import it, then: --url URL --keys <what import --json printed> --seed ${options.seed}`,
		);
		return 0;
	}
	const service = options.service === null ? await OwnService.prepare(options.data) : null;
	for (const [signal, code] of [
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const) {
		process.once(signal, () => void stopEarly(service, code));
	}
	try {
		const running = replay(options, plan, service);
		const ok = await (service === null ? running : Promise.race([running, service.died]));
		const code = await service?.stop();
		if (service && code !== 0) progress.say(`the service ended with ${code}`);
		if (ok) service?.remove();
		return ok ? 0 : 1;
	} catch (error) {
		await service?.stop();
		if (service) progress.say(`data and logs are in ${service.folder}`);
		throw error;
	}
}

try {
	process.exit(await main());
} catch (error) {
	progress.say(`replay: ${(error as Error).message}`);
	process.exit(1); // requests under way would continue for a while
}
