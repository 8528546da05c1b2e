import { setTimeout as sleep } from "node:timers/promises";
import { createChance } from "../chance.ts";
import { blowsUnderLoad } from "./blows.ts";
import { main, type Trial } from "./trial.ts";

/** Milliseconds of work with synchronous replication before the primary is killed. */
const LEAST_WORK_MS = 500;
const MOST_WORK_MS = 2_000;
const SEED = 11;

export const promotions: Trial = {
	name: "promotions",
	says: "two nodes and a foreign writer; the primary dies and a synchronous standby is promoted; everything acknowledged is checked",
	numbers: { promotions: 10, clients: 24 },
	run: async (stage) => {
		const { promotions: count = 0, clients = 0 } = stage.numbers;
		const chance = createChance(SEED);
		const ground = await stage.open({ standby: true });
		return await blowsUnderLoad({
			ground,
			clients,
			count,
			say: stage.say,
			prepare: async () => {
				await ground.works.attachStandby();
				await sleep(chance.between(LEAST_WORK_MS, MOST_WORK_MS));
			},
			blow: () => ground.works.failOver(),
		});
	},
};

if (import.meta.main) await main(promotions);
