import { withSession } from "../ground/one-session.ts";
import type { Fault, FaultContext } from "../ground/types.ts";
import { inject, last, seconds } from "./inject.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 4_000;

async function setReadOnly({ ground }: FaultContext, value: "on" | "off"): Promise<void> {
	await withSession(ground.works.server.url(), async (session) => {
		await session.query(`alter system set default_transaction_read_only = ${value}`);
		await session.query("select pg_reload_conf()");
	});
}

export const readOnly: Fault = {
	name: "read-only",
	says: "The server accepts no writes for seconds and keeps its connections: a switch-over behind a proxy.",
	longestMs: 25_000,
	alone: true,
	inject: (context) =>
		inject("read-only", context, async () => {
			const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
			await setReadOnly(context, "on");
			try {
				await last(ms, context);
			} finally {
				await setReadOnly(context, "off");
			}
			return { what: `the server read-only for ${seconds(ms)}`, touched: "all" };
		}),
};
