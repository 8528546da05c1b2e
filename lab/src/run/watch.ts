/** Checks the tables during the run for states that last only for a moment and must never occur. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Watch } from "../rooms/room.ts";
import { ROOMS } from "../rooms/rooms.ts";
import type { Scene } from "./scene.ts";

/** Resolves when the scene is over and the last checks are done. */
export const watch = async (scene: Scene): Promise<void> => {
	await Promise.all(
		ROOMS.map(({ name, oracle }) => (oracle.watch ? watchRoom(scene, name, oracle.watch) : Promise.resolve())),
	);
};

async function watchRoom(scene: Scene, room: string, { everyMs, begin }: Watch): Promise<void> {
	const { ground, recorder } = scene;
	const look = begin();
	while (!scene.over) {
		try {
			const at = performance.now();
			for (const saw of await look(ground.admin())) recorder.write({ kind: "sight", room, at, saw });
		} catch {
			// a fault stopped the server; the next check covers the time in between
		}
		await sleep(everyMs);
	}
}
