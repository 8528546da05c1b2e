import type { Fault } from "../ground/types.ts";
import { inject, last, pickNode, seconds } from "./inject.ts";

/** Maximum milliseconds for which a node stays down. */
const LONGEST_AWAY_MS = 1_500;

export const serviceKill: Fault = {
	name: "service-kill",
	says: "SIGKILL of a node, started again a moment later: a crash, or the kernel short of memory.",
	longestMs: 15_000,
	inject: (context) =>
		inject("service-kill", context, async () => {
			const node = pickNode(context);
			const awayMs = context.chance.between(0, LONGEST_AWAY_MS);
			await node.kill();
			await last(awayMs, context);
			node.start();
			return { what: `${node.name} killed, away for ${seconds(awayMs)}`, touched: "all" };
		}),
};
