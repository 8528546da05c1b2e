/** Operators run one command after the other, each in its own process. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Errand } from "../history.ts";
import { holdfast, lastLine, printedBy, withoutTokens } from "../holdfast.ts";
import { KEYS } from "../rooms/keys/workload.ts";
import type { Chore, Command } from "../rooms/room.ts";
import type { Scene } from "./scene.ts";

/** Milliseconds before an operator without anything to do tries again. */
const IDLE_MS = 20;

export async function liveOperator(scene: Scene, rota: Rota, chance: Chance): Promise<void> {
	const { world, knows, actors } = scene;
	while (!scene.over) {
		const next = rota((chore) => chore.build({ world, knows, actors, chance, now: performance.now() }));
		if (next === null) {
			await sleep(IDLE_MS);
			continue;
		}
		await run(scene, next.chore.name, next.command);
		enterGuests(scene);
		await sleep(scene.pace.choreMs);
	}
}

/** The next chore among those that can be done now; null: none can. */
export type Rota = (build: (chore: Chore) => Command | null) => { chore: Chore; command: Command } | null;

/**
 * All chores in turn, in proportion to their weights, so that even a short run has some of each. Chores that cannot be
 * done now wait.
 */
export function createRota(chores: readonly Chore[], chance: Chance): Rota {
	const turns = chores.map((chore) => ({ chore, due: chance.fraction() / chore.weight }));
	return (build) => {
		turns.sort((a, b) => a.due - b.due);
		for (const turn of turns) {
			const command = build(turn.chore);
			if (command === null) continue;
			turn.due += 1 / turn.chore.weight;
			return { chore: turn.chore, command };
		}
		return null;
	};
}

let files = 0;

/** Runs the command, records it and passes the printed document to `learn`. */
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
	const ran = await holdfast(scene.ground.launcher, scene.ground.operatorEnv(), args);
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

/** Registers new keys, so that all clients can use them. */
function enterGuests({ knows, recorder, actors }: Scene): void {
	for (const { actor } of knows.of(KEYS).fresh.splice(0)) {
		if (actors.some(({ name }) => name === actor.name)) continue;
		recorder.write({ kind: "key", at: performance.now(), ...actor });
		actors.push(actor);
	}
}
