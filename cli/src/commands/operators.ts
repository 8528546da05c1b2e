import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { callOperator, type ItemOf } from "../client/operator-client.ts";
import { addCommand } from "../terminal/command.ts";
import { choice, wholeNumber } from "../terminal/options.ts";
import { nextPage, print, tableOf } from "../terminal/output.ts";
import { addPeople } from "./people.ts";

const { role: ROLES } = FIELDS.mint_token;
/** Maximum number of items per page. */
const MAX_ITEMS = 500;

export function addOperators(program: Command): void {
	const group = program
		.command("operators")
		.description("the people who run this deployment, and the tokens of their scripts");
	addPeople(group);
	addCommand(
		group,
		"token <name>",
		"create a token for a script; it is shown once",
		"operators token nightly-import --role operator --expires 90d",
	)
		.requiredOption(
			`--role <${ROLES.join("|")}>`,
			"what it may do; each role may also do what those before it may",
			choice(...ROLES),
		)
		.option("--expires <time>", "a time such as 2027-01-01T00:00:00Z, or a duration such as 90d (it does not expire)")
		.action(async (name: string, options: { role: (typeof ROLES)[number]; expires?: string; json?: true }) => {
			const body = { name, role: options.role, expires_at: options.expires };
			const minted = await callOperator("mint_token", { body });
			print(minted, options.json, () =>
				[
					`Token ${minted.name} with the role ${minted.role}, ${minted.expires_at === null ? "which does not expire" : `until ${minted.expires_at}`}.`,
					"The token is shown only this once: keep it.",
					"",
					`  ${minted.token}`,
				].join("\n"),
			);
		});
	addCommand(group, "tokens", "every token, including ended ones; never a secret", "operators tokens")
		.option("--limit <n>", "maximum number of tokens to show", wholeNumber(1, MAX_ITEMS))
		.option("--cursor <text>", "the next_cursor of the previous answer")
		.action(async ({ json, limit, cursor }: { json?: true; limit?: number; cursor?: string }) => {
			const page = await callOperator("list_tokens", { query: { limit: limit ?? MAX_ITEMS, cursor } });
			print(page, json, () => tokenTable(page.items) + nextPage(page.next_cursor));
		});
	addCommand(
		group,
		"revoke-token <id>",
		"refuse a token for good, on every node within a second",
		"operators revoke-token 3ZrT0mGq8yXvB2kLw9QaE1nHc",
	).action(async (id: string, { json }: { json?: true }) => {
		const revoked = await callOperator("revoke_token", { params: { id } });
		print(revoked, json, () => `Token ${revoked.name} has been refused since ${revoked.revoked_at}.`);
	});
}

const tokenTable = (tokens: readonly ItemOf<"list_tokens">[]): string =>
	tableOf(tokens, {
		NAME: "name",
		ROLE: "role",
		STATE: "state",
		ID: "id",
		"CREATED BY": "created_by",
		CREATED: "created_at",
		EXPIRES: "expires_at",
		REVOKED: "revoked_at",
	});
