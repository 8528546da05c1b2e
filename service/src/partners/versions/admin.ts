import { toRfc3339 } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Operator } from "../admin/operator.ts";
import { readOperatorPage, writeOperatorPage } from "../admin/page.ts";
import { type ApiDate, createApiDates } from "../http/api-date.ts";
import { type Gate, mount } from "../http/mount.ts";
import { ListApiDates } from "./admin-contract.ts";
import { type DateUse, MOST_USERS, selectDateUses } from "./date-uses-sql.ts";

/** The operators' operation on API dates. */
export function admin(gate: Gate<Operator>, { readDb }: { readonly readDb: Query }): void {
	const { accepted } = createApiDates();
	mount(gate, ListApiDates, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const rest = accepted.filter(({ date }) => page.after === null || date < page.after);
		const list = { items: rest.slice(0, page.limit), hasMore: rest.length > page.limit };
		const names = list.items.map(({ date }) => date);
		const uses = Map.groupBy(await selectDateUses(readDb, names), ({ date }) => date);
		const reply = (one: ApiDate) => dateReply(one, uses.get(one.date) ?? []);
		return { status: 200, data: writeOperatorPage(list, ({ date }) => date, reply) };
	});
}

const dateReply = ({ date, status, sunsetOn }: ApiDate, uses: readonly DateUse[]) => ({
	date,
	status,
	sunset_on: sunsetOn,
	used_by: uses.slice(0, MOST_USERS).map(({ key, keyName, partner, lastSeenAt }) => ({
		key,
		key_name: keyName,
		partner,
		last_seen_at: toRfc3339(lastSeenAt),
	})),
	more_users: uses.length > MOST_USERS,
});
