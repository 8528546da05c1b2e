import { signal } from "../ground/processes.ts";
import type { Fault } from "../ground/types.ts";
import { pickBackend } from "./backends.ts";
import { inject, last, seconds } from "./inject.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 8_000;

export const backendFreeze: Fault = {
	name: "backend-freeze",
	says: "SIGSTOP of one engine backend for seconds, then SIGCONT: it continues its work, however late.",
	longestMs: 25_000,
	alone: true, // crash recovery would wait for a frozen backend
	inject: (context) =>
		inject("backend-freeze", context, async () => {
			const found = await pickBackend(context, 1);
			if (found === null) return { missed: "no backend served the node at this moment" };
			const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
			if (!signal(found.process, "SIGSTOP")) return { missed: "the backend had ended" };
			await last(ms, context);
			signal(found.process, "SIGCONT");
			return { what: `the backend of ${found.node}, ${found.pool}, frozen for ${seconds(ms)}`, touched: "all" };
		}),
};
