import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { useRead } from "../api/use.ts";
import { Filters, Table } from "../parts/list.tsx";
import { Empty, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment, startOfDay } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { CallerOf } from "./caller.tsx";

const ENVIRONMENTS = Object.entries(words.requests.environments);

/** The errors of partners by operation, code and key, the most frequent first. */
export default function RequestErrors(): ReactNode {
	const [search] = useSearchParams();
	const [from, environment] = [search.get("from"), search.get("environment")];
	const query = {
		...(from ? { from: startOfDay(from) ?? from } : {}),
		...(environment ? { environment: environment as "live" | "sandbox" } : {}),
	};
	const { data, error, refetch } = useRead("list_request_errors", { query });
	/** The filters of the list of requests that are counted. */
	const counted = (operation: string, code: string, key: string | null): string =>
		new URLSearchParams({
			operation,
			code,
			...(key === null ? {} : { key }),
			...(from ? { from } : {}),
			...(environment ? { environment } : {}),
		}).toString();
	return (
		<Page
			title={words.requestErrors.title}
			actions={
				<Link className="button" to="/requests">
					{words.requests.all}
				</Link>
			}
		>
			<p className="quiet">{words.requestErrors.hint}</p>
			<Filters
				filters={[
					{ name: "from", label: words.requestErrors.since, type: "date" },
					{ name: "environment", label: words.requests.environment, options: ENVIRONMENTS },
				]}
			/>
			<Problem error={error} retry={() => void refetch()} />
			{data === undefined && error === null ? <Loading /> : null}
			{data !== undefined && data.items.length === 0 ? <Empty title={words.requestErrors.empty} /> : null}
			{data !== undefined && data.items.length > 0 ? (
				<Table
					caption={words.requestErrors.title}
					rows={data.items}
					keyOf={({ operation, code, key }) => `${operation} ${code} ${key}`}
					columns={[
						{ head: words.requestErrors.count, cell: ({ count }) => count, isNumber: true },
						{
							head: words.requests.code,
							cell: ({ operation, code, key }) => <Link to={`/requests?${counted(operation, code, key)}`}>{code}</Link>,
						},
						{ head: words.requests.operation, cell: ({ operation }) => operation },
						{ head: words.requests.key, cell: (one) => <CallerOf of={one} /> },
						{
							head: words.requestErrors.last,
							cell: ({ last_at, last_request_id }) => (
								<Link to={`/requests/${last_request_id}`}>
									<Moment at={last_at} />
								</Link>
							),
						},
					]}
				/>
			) : null}
		</Page>
	);
}
