import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Operator } from "../admin/operator.ts";
import { readOperatorPage, writeOperatorPage } from "../admin/page.ts";
import { type ApiDate, createApiDates } from "../http/api-date.ts";
import { type Gate, mount } from "../http/mount.ts";
import { ListApiDates } from "./admin-contract.ts";

/** The operators' operation on API dates. */
export function admin(gate: Gate<Operator>): void {
	const { accepted } = createApiDates();
	mount(gate, ListApiDates, ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const rest = accepted.filter(({ date }) => page.after === null || date < page.after);
		const list = { items: rest.slice(0, page.limit), hasMore: rest.length > page.limit };
		return { status: 200, data: writeOperatorPage(list, ({ date }) => date, dateReply) };
	});
}

const dateReply = ({ date, status, sunsetOn }: ApiDate) => ({ date, status, sunset_on: sunsetOn });
