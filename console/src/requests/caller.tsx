import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { words } from "../words/words.ts";

export type LoggedRequest = DataOf<"list_requests">["items"][number];

/** Who made a request: the key, or what an unknown caller claims to be. */
export function CallerOf({ of: one }: { of: Pick<LoggedRequest, "key" | "key_name" | "partner"> }): ReactNode {
	if (one.key === null) return words.requests.nobody;
	if (one.key_name === null) {
		return (
			<>
				{words.requests.claimed} <code className="quiet">{one.key}</code>
			</>
		);
	}
	return (
		<Link to={`/api-keys/${one.key}`}>
			{one.partner}, {one.key_name}
		</Link>
	);
}

/** The operation of a request; of an unknown path, the path. */
export const operationOf = ({ operation, method, url }: LoggedRequest): string =>
	operation === "none" ? `${words.requests.unknownPath}: ${method} ${url}` : operation;
