import type { Database } from "../pg/connect.ts";
import { restockSandbox, type SandboxSettings } from "./restock-sandbox.ts";
import { isRestockDue } from "./sql.ts";

/** Milliseconds between looks whether a new day has begun. */
const LOOK_EVERY_MS = 60_000;

export interface DailyRestock {
	/** Ends it; a restock under way is finished first. */
	stop(): Promise<void>;
}

/** Restocks the sandbox at once when it is due, then once a day. Of several nodes, one does it. */
export function startDailyRestock(
	db: Database,
	settings: SandboxSettings,
	onTrouble: (error: unknown) => void,
): DailyRestock {
	let timer: NodeJS.Timeout | undefined;
	let stopped = false;
	const look = async (): Promise<void> => {
		try {
			if (await isRestockDue(db, settings.timeZone)) await restockSandbox(db, settings, { onlyIfDue: true });
		} catch (error) {
			onTrouble(error); // the database may be away; the next look tries again
		}
		if (stopped) return;
		timer = setTimeout(() => {
			running = look();
		}, LOOK_EVERY_MS).unref();
	};
	let running = look();
	return {
		stop: async () => {
			stopped = true;
			clearTimeout(timer);
			await running;
		},
	};
}
