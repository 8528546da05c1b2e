import type { Command } from "commander";
import { callOperator } from "../client/operator-client.ts";
import { EXIT } from "../offline/context.ts";
import { addCommand } from "../terminal/command.ts";
import { wholeNumber } from "../terminal/options.ts";
import { print, table } from "../terminal/output.ts";

/** Rows of one answer, at most and unless said otherwise. */
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
	const group = program.command("audit").description("what operators did, in a log that proves itself");
	addCommand(group, "list", "writes of operators, newest first, refused ones too", "audit list --about web")
		.option("--actor <name>", "only of this operator, operator:<name>")
		.option("--operation <id>", "only of this operation, such as mint_key")
		.option("--about <thing>", "only about this thing")
		.option("--limit <n>", `rows of one answer (${USUAL_ROWS})`, wholeNumber(1, MAX_ROWS))
		.option("--cursor <text>", "the next_cursor of the answer before")
		.action(async ({ json, ...query }: ListOptions) => {
			const page = await callOperator("list_audit", { query: { limit: USUAL_ROWS, ...query } });
			print(page, json, () =>
				[
					table(
						["SEQ", "AT", "WHO", "OPERATION", "ABOUT", "STATUS", "CODE", "REQUEST"],
						page.items.map((one) => [
							one.seq,
							one.at,
							one.actor,
							one.operation,
							one.about,
							one.status,
							one.code,
							one.request_id,
						]),
					),
					...(page.next_cursor === null ? [] : ["", `More with --cursor ${page.next_cursor}`]),
				].join("\n"),
			);
		});
	addCommand(
		group,
		"verify",
		"prove that no row was changed, removed, swapped or added; exit code 1 if one was",
		"audit verify",
	).action(async ({ json }: { json?: true }) => {
		const verdict = await callOperator("verify_audit");
		if (!verdict.whole) process.exitCode = EXIT.refused;
		print(verdict, json, () =>
			verdict.whole
				? `The audit log is whole: ${verdict.rows} rows, each of which follows from the one before it.`
				: `The audit log was tampered with: row ${verdict.broken_at} is missing, was changed, or does not follow from the one before it.`,
		);
	});
}
