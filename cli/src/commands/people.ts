import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { callOperator, type ItemOf } from "../client/operator-client.ts";
import { addCommand } from "../terminal/command.ts";
import { choice, wholeNumber } from "../terminal/options.ts";
import { nextPage, print, tableOf } from "../terminal/output.ts";

const { role: ROLES } = FIELDS.invite_person;
type Role = (typeof ROLES)[number];
/** Maximum number of items per page. */
const MAX_ITEMS = 500;

/** The commands about people who sign in. */
export function addPeople(group: Command): void {
	addInvite(group);
	addCommand(group, "people", "everybody who may sign in, including suspended people", "operators people")
		.option("--limit <n>", "maximum number of people to show", wholeNumber(1, MAX_ITEMS))
		.option("--cursor <text>", "the next_cursor of the previous answer")
		.action(async ({ json, limit, cursor }: { json?: true; limit?: number; cursor?: string }) => {
			const page = await callOperator("list_people", { query: { limit: limit ?? MAX_ITEMS, cursor } });
			print(page, json, () => peopleTable(page.items) + nextPage(page.next_cursor));
		});
	addChange(group);
	addSessions(group);
}

const peopleTable = (people: readonly ItemOf<"list_people">[]): string =>
	tableOf(people, {
		NAME: "name",
		ROLE: "role",
		STATE: "state",
		EMAIL: "email",
		"INVITED BY": "created_by",
		SINCE: "created_at",
		"LINK ENDS": "link_expires_at",
	});

function addInvite(group: Command): void {
	addCommand(
		group,
		"invite <name>",
		"make a set-up link for a person, new or known; it is also the way back in for somebody who has lost everything",
		"operators invite anna --role operator",
	)
		.requiredOption(
			`--role <${ROLES.join("|")}>`,
			"what the person may do; each role may also do what those before it may",
			choice(...ROLES),
		)
		.option("--email <address>", "the person's email address; nothing is sent to it")
		.action(async (name: string, options: { role: Role; email?: string; json?: true }) => {
			const body = { name, role: options.role, email: options.email };
			const invited = await callOperator("invite_person", { body });
			print(invited, options.json, () =>
				[
					`Give this link to ${invited.name}. It works once, until ${invited.link_expires_at}, and is shown only now:`,
					"",
					`  ${invited.link}`,
				].join("\n"),
			);
		});
}

function addChange(group: Command): void {
	addCommand(
		group,
		"change <name>",
		"give a person another role or email address, suspend a person or let them in again",
		"operators change anna --suspend --reason 'has left'",
	)
		.option(`--role <${ROLES.join("|")}>`, "what the person may do", choice(...ROLES))
		.option("--email <address>", "the person's email address")
		.option("--suspend", "refuse the person, on every node within a second")
		.option("--resume", "let a suspended person in again")
		.option("--reason <text>", "why; kept in the audit log")
		.action(
			async (
				name: string,
				options: { role?: Role; email?: string; suspend?: true; resume?: true; reason?: string; json?: true },
			) => {
				const { role, email, suspend, resume, reason, json } = options;
				const state = suspend ? ("suspended" as const) : resume ? ("active" as const) : undefined;
				const body = { role, email, state, reason };
				const changed = await callOperator("change_person", { params: { name }, body });
				print(changed, json, () => `${changed.name} has the role ${changed.role} and is ${changed.state}.`);
			},
		);
}

function addSessions(group: Command): void {
	addCommand(group, "sessions <name>", "the browsers in which a person is signed in", "operators sessions anna --end")
		.option("--end", "end all of them, on every node within a second")
		.action(async (name: string, { end, json }: { end?: true; json?: true }) => {
			if (end) {
				const done = await callOperator("end_sessions_of_person", { params: { name } });
				print(done, json, () => `${done.ended} ${done.ended === 1 ? "session was" : "sessions were"} ended.`);
				return;
			}
			const sessions = await callOperator("list_sessions_of_person", { params: { name } });
			print(sessions, json, () =>
				tableOf(sessions.items, {
					"SIGNED IN": "signed_in_at",
					"LAST USED": "seen_at",
					ENDS: "ends_at",
					ADDRESS: "address",
					BROWSER: "user_agent",
				}),
			);
		});
}
