import { setTimeout as sleep } from "node:timers/promises";
import type { OwnService } from "./own-service.ts";

/** Milliseconds between two checks of the run's progress. */
const LOOK_EVERY_MS = 10;

export interface Kills {
	service: number;
	postgres: number;
}

/** The processes that one blow kills. */
type Blow = "service" | "postgres" | "both";

/** N of each: alternating, and every second pair at the same moment. */
export const blows = (times: number): Blow[] =>
	Array.from({ length: times }, (_, i): Blow[] => (i % 2 === 1 ? ["both"] : ["service", "postgres"])).flat();

/**
 * Kills the service and its PostgreSQL `times` times each, evenly over the run, never before they have recovered from
 * the previous blow. `progress`: the share of the invoices begun, 0 to 1. Resolves after the last one.
 */
export async function killThem(
	service: OwnService,
	times: number,
	progress: () => number,
	kills: Kills,
	say: (line: string) => void,
): Promise<void> {
	const plan = blows(times);
	for (const [i, blow] of plan.entries()) {
		while (progress() < (i + 0.5) / plan.length) await sleep(LOOK_EVERY_MS);
		const at = performance.now();
		const postgres = blow === "service" ? undefined : service.killPostgres();
		if (blow !== "postgres") await service.kill();
		const pid = await postgres;
		if (blow !== "postgres") await service.start();
		else await service.revived(pid as number);
		if (blow !== "postgres") kills.service += 1;
		if (blow !== "service") kills.postgres += 1;
		say(
			`killed ${blow === "both" ? "the service and PostgreSQL" : blow === "service" ? "the service" : "PostgreSQL"}; ready again after ${Math.round(performance.now() - at)} ms`,
		);
	}
}
