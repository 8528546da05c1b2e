import type { Fault } from "../ground/types.ts";
import { inject, last, seconds } from "./inject.ts";

/** Maximum milliseconds for which the server stays down. */
const LONGEST_AWAY_MS = 1_500;

export const postgresKill: Fault = {
	name: "postgres-kill",
	says: "SIGKILL of the postmaster, or of all its processes at once; the server is started again and recovers.",
	longestMs: 30_000,
	alone: true,
	inject: (context) =>
		inject("postgres-kill", context, async () => {
			const { chance, ground } = context;
			const { server } = ground.works;
			const whole = chance.happens(0.5);
			const awayMs = chance.between(0, LONGEST_AWAY_MS);
			await (whole ? server.kill() : server.killPostmaster());
			await last(awayMs, context);
			await server.start();
			const what = `${whole ? "all processes of PostgreSQL" : "the postmaster"} killed, away for ${seconds(awayMs)}`;
			return { what, touched: "all" };
		}),
};
