import type { Command } from "commander";
import { callOperator, type DataOfCall, type ItemOf } from "../client/operator-client.ts";
import { addCommand } from "../terminal/command.ts";
import { EXIT } from "../terminal/failure.ts";
import { wholeNumber } from "../terminal/options.ts";
import { nextPage, print, tableOf } from "../terminal/output.ts";

/** Maximum and default number of rows of one answer. */
const MAX_ROWS = 500;
const USUAL_ROWS = 50;

interface ListOptions {
	readonly actor?: string;
	readonly operation?: string;
	readonly about?: string;
	readonly limit?: number;
	readonly cursor?: string;
	readonly json?: true;
}

export function addAudit(program: Command): void {
	const group = program.command("audit").description("what operators did, in a log that can be proved intact");
	addCommand(group, "list", "writes of operators, newest first, including refused ones", "audit list --about web")
		.option("--actor <name>", "only of this operator, operator:<name>")
		.option("--operation <id>", "only of this operation, such as mint_key")
		.option("--about <thing>", "only writes to this object, by its own name")
		.option("--limit <n>", `maximum number of rows to show (${USUAL_ROWS})`, wholeNumber(1, MAX_ROWS))
		.option("--cursor <text>", "the next_cursor of the previous answer")
		.action(async ({ json, ...query }: ListOptions) => {
			const page = await callOperator("list_audit", { query: { limit: USUAL_ROWS, ...query } });
			print(page, json, () => auditTable(page.items) + nextPage(page.next_cursor));
		});
	addCommand(
		group,
		"verify",
		"prove that no row was changed, removed, swapped or added, and that past days are as they were sealed; exit code 1 if not",
		"audit verify",
	).action(async ({ json }: { json?: true }) => {
		const verdict = await callOperator("verify_audit");
		if (!verdict.whole) process.exitCode = EXIT.refused;
		print(verdict, json, () =>
			verdict.whole
				? `The audit log is intact: ${verdict.rows} rows, each of which follows from the one before it. ${sealedIn(verdict)}`
				: `The audit log is not intact: row ${verdict.broken_at}${verdict.broken_day === null ? "" : ` of ${verdict.broken_day}`}. ${verdict.why}`,
		);
	});
}

const auditTable = (writes: readonly ItemOf<"list_audit">[]): string =>
	tableOf(writes, {
		SEQ: "seq",
		AT: "at",
		WHO: "actor",
		OPERATION: "operation",
		ABOUT: "about",
		STATUS: "status",
		CODE: "code",
		REQUEST: "request_id",
	});

const sealedIn = ({ sealed_to: sealed }: DataOfCall<"verify_audit">): string =>
	sealed === null
		? "No day is sealed yet."
		: `The days up to ${sealed.day}, row ${sealed.seq}, are sealed under the digest ${sealed.digest}.`;
