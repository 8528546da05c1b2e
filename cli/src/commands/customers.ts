import { type Command, Option } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { isRowId } from "../../../service/src/partners/admin/page.ts";
import { callWithin } from "../client/follow-run.ts";
import { type Asked, type DataOfCall, type ItemOf, listItems, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { CommandRefused } from "../terminal/failure.ts";
import { DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { listed, plural, print, tableOf } from "../terminal/output.ts";
import { readSentFile } from "../terminal/sent-file.ts";
import { ORDER_HINT } from "./orders.ts";

/** Maximum number of orders that one request names (the service refuses more). */
const MOST_NAMED = 1_000;

interface EraseOptions extends JsonOption {
	readonly order?: string;
	readonly email?: string;
	readonly list?: string;
	readonly dryRun?: true;
}

type Erased = Exclude<DataOfCall<"erase_customers">, { readonly run_id: string }>;
type Named = Omit<NonNullable<Asked<"erase_customers">["body"]>, "dry_run">;

export function addCustomers(program: Command): void {
	const group = program.command("customers").description("customers' data: names, addresses, e-mails, phones");
	addErase(group);
	addErased(group);
}

function addErase(group: Command): void {
	addCommand(
		group,
		"erase",
		"erase customers' data of orders that have ended, wherever it is kept; this cannot be undone",
		"customers erase --email ada@example.com --dry-run",
	)
		.addOption(
			new Option("--order <order>", "one order: id, external id or Idempotency-Key").conflicts(["email", "list"]),
		)
		.addOption(new Option("--email <address>", "every order of this e-mail address").conflicts("list"))
		.option(
			"--list <file>",
			"the orders in this file, one id a line: after a restore, what `customers erased` had listed",
		)
		.option("--dry-run", "show how many orders it would be; change nothing")
		.action(async ({ order, email, list, dryRun, json }: EraseOptions, command: Command) => {
			const named = await namedIn(order, email, list);
			if (named === null) command.error("error: give --order, --email or --list");
			else {
				const told = await erase(named, dryRun);
				print(told, json, () => describe(told));
			}
		});
}

/** The bodies of the requests, without `dry_run`; null: nothing was named. */
async function namedIn(order?: string, email?: string, list?: string): Promise<readonly Named[] | null> {
	if (order !== undefined) return [{ order }];
	if (email !== undefined) return [{ customer_email: email }];
	if (list === undefined) return null;
	const text = new TextDecoder().decode((await readSentFile(list)).bytes);
	const ids = text
		.split("\n")
		.map((line) => line.trim().toLowerCase())
		.filter((line) => line !== "");
	const wrong = ids.find((id) => !isRowId(id));
	if (wrong !== undefined)
		throw new CommandRefused(
			"invalid_input",
			`${list}: expected one id of an order a line, not ${JSON.stringify(wrong)}.`,
		);
	const parts: Named[] = [];
	for (let at = 0; at < ids.length; at += MOST_NAMED) parts.push({ order_ids: ids.slice(at, at + MOST_NAMED) });
	return parts;
}

/** Sends one request after the other, and adds up what they did. */
const erase = (named: readonly Named[], dry_run: true | undefined): Promise<Erased> =>
	withOperator(async (call, session) => {
		let sum: Erased = { erased: 0, already: 0, open: [], unknown: 0, ...(dry_run ? { dry_run } : {}) };
		for (const body of named) {
			const told = await callWithin(call, session, ["erase_customers", { body: { ...body, dry_run } }], {
				title: "Customers erased",
				hints: ORDER_HINT,
			});
			sum = {
				...sum,
				erased: sum.erased + told.erased,
				already: sum.already + told.already,
				open: [...sum.open, ...told.open],
				unknown: sum.unknown + told.unknown,
			};
		}
		return sum;
	});

function describe({ erased, already, open, unknown, dry_run: dryRun }: Erased): string {
	const done = dryRun
		? `Nothing was changed. The customer's data of ${plural(erased, "order")} would be erased.`
		: `The customer's data of ${plural(erased, "order")} was erased.`;
	return [
		done,
		...(already === 0 ? [] : [`Erased before: ${plural(already, "order")}.`]),
		...(unknown === 0 ? [] : [`No such order: ${plural(unknown, "id")}.`]),
		...(open.length === 0
			? []
			: [`Still to be shipped, so left as they are: ship or cancel them, then erase them: ${open.join(", ")}.`]),
	].join("\n");
}

interface ListOptions extends JsonOption {
	readonly limit?: number;
	readonly ids?: true;
}

function addErased(group: Command): void {
	addCommand(
		group,
		"erased",
		"the orders whose customers were erased because somebody asked for it, the newest order first",
		"customers erased --ids > erased.txt",
	)
		.option(...limitOption())
		.addOption(
			new Option(
				"--ids",
				"print the ids of all of them, one a line, for `customers erase --list` after a restore",
			).conflicts("json"),
		)
		.action(async ({ ids, limit = ids ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT, json }: ListOptions) => {
			const list = await listItems("list_erasures", {}, limit);
			if (ids) process.stdout.write(list.items.map(({ order_id: id }) => `${id}\n`).join(""));
			else print(list, json, () => listed(list, NO_ERASURES, null, erasureTable));
		});
}

const NO_ERASURES = `No erasures. ${quotedCommand("customers erase --help")} says how to erase.`;

const erasureTable = (items: readonly ItemOf<"list_erasures">[]): string =>
	tableOf(items, { ORDER: "order_id", ERASED: "erased_at", "ASKED BY": "asked_by", REQUEST: "request_id" });
