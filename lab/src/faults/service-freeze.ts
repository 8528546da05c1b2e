import type { Fault } from "../ground/types.ts";
import { inject, last, pickNode, seconds } from "./inject.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 8_000;

export const serviceFreeze: Fault = {
	name: "service-freeze",
	says: "SIGSTOP of a node for seconds, then SIGCONT: a virtual machine that was moved, whose memory is out of date.",
	longestMs: 25_000,
	inject: (context) =>
		inject("service-freeze", context, async () => {
			const node = pickNode(context);
			const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
			const thaw = node.freeze();
			await last(ms, context);
			thaw();
			return { what: `${node.name} frozen for ${seconds(ms)}`, touched: "all" };
		}),
};
