import { setTimeout as sleep } from "node:timers/promises";
import { createChance } from "../chance.ts";
import { signal } from "../ground/processes.ts";
import type { Ground } from "../ground/types.ts";
import { blowsUnderLoad } from "./blows.ts";
import { main, type Trial } from "./trial.ts";

/** Milliseconds of undisturbed work before each crash. */
const LEAST_WORK_MS = 200;
const MOST_WORK_MS = 900;
const SEED = 7;
const LOOK_EVERY_MS = 5;

/** Kills one working backend of the engine, if there is one. */
async function crash(ground: Ground, nodeNumber: number): Promise<void> {
	const { works } = ground;
	const node = works.nodes[nodeNumber % works.nodes.length];
	if (node === undefined) throw new Error("a ground without nodes");
	for (;;) {
		const engines = (await works.backendsOf(node)).filter(({ pool }) => pool.includes("engine"));
		for (const { pid } of engines) {
			const backend = works.server.backend(pid);
			if (backend !== null && signal(backend, "SIGKILL")) return;
		}
		await sleep(LOOK_EVERY_MS);
	}
}

export const crashes: Trial = {
	name: "crashes",
	says: "two nodes and a foreign writer; PostgreSQL crashes by SIGKILL of one backend; everything acknowledged is checked",
	numbers: { crashes: 100, clients: 24 },
	run: async (stage) => {
		const { crashes: count = 0, clients = 0 } = stage.numbers;
		const chance = createChance(SEED);
		const ground = await stage.open();
		return await blowsUnderLoad({
			ground,
			clients,
			count,
			say: stage.say,
			blow: async (number) => {
				await sleep(chance.between(LEAST_WORK_MS, MOST_WORK_MS));
				await crash(ground, number);
			},
		});
	},
};

if (import.meta.main) await main(crashes);
