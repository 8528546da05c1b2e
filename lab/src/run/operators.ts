/** Operators: one command after the other, each a process of its own. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Errand } from "../history.ts";
import { holdfast, lastLine, printedBy, withoutTokens } from "../holdfast.ts";
import { KEYS } from "../rooms/keys/workload.ts";
import type { Chore, Command } from "../rooms/room.ts";
import { draw } from "./partners.ts";
import type { Scene } from "./scene.ts";

/** Milliseconds between two commands: each start costs a good part of a second of processor. */
const PAUSE_MS = 1_200;

export async function liveOperator(scene: Scene, chores: readonly Chore[], chance: Chance): Promise<void> {
	const { world, knows, actors } = scene;
	while (!scene.over) {
		const chore = draw(chores, chance);
		const command = chore.build({ world, knows, actors, chance, now: performance.now() });
		if (command === null) {
			await sleep(1);
			continue;
		}
		await run(scene, chore.name, command);
		enterGuests(scene);
		await sleep(PAUSE_MS);
	}
}

let files = 0;

/** Runs the command, writes it down and tells it what was printed. */
export async function run(
	scene: Pick<Scene, "ground" | "folder" | "recorder">,
	op: string,
	command: Command,
): Promise<unknown> {
	const args = [...command.args];
	if (command.file !== undefined) {
		const file = path.join(scene.folder, `command-${++files}.json`);
		await writeFile(file, typeof command.file === "string" ? command.file : JSON.stringify(command.file));
		args.push(file);
	}
	const start = performance.now();
	const ran = await holdfast(scene.ground.launcher, scene.ground.operatorEnv, args);
	const printed = printedBy(ran);
	const end = performance.now();
	const trouble = lastLine(ran.stderr);
	const { about } = command;
	const errand: Errand = {
		kind: "errand",
		op,
		start,
		end,
		args: command.args,
		about,
		code: ran.code,
		out: withoutTokens(printed),
		trouble,
	};
	scene.recorder.write(errand);
	command.learn?.(errand, printed);
	return printed;
}

/** Keys that were made meanwhile are known to everybody from now on. */
function enterGuests({ knows, recorder, actors }: Scene): void {
	for (const { actor } of knows.of(KEYS).fresh.splice(0)) {
		if (actors.some(({ name }) => name === actor.name)) continue;
		recorder.write({ kind: "key", at: performance.now(), ...actor });
		actors.push(actor);
	}
}
