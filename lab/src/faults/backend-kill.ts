import { signal } from "../ground/processes.ts";
import type { Fault } from "../ground/types.ts";
import { pickBackend } from "./backends.ts";
import { inject } from "./inject.ts";

export const backendKill: Fault = {
	name: "backend-kill",
	says: "SIGKILL of one backend of a node: the whole server ends its sessions and recovers from its log.",
	longestMs: 30_000,
	alone: true,
	inject: (context) =>
		inject("backend-kill", context, async () => {
			const found = await pickBackend(context);
			if (found === null) return { missed: "no backend served the node at this moment" };
			if (!signal(found.process, "SIGKILL")) return { missed: "the backend had ended" };
			return { what: `killed the backend of ${found.node}, ${found.pool}`, touched: "all" };
		}),
};
