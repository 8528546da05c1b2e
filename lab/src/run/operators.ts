/** Operators: one command after the other, each a process of its own. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Errand } from "../history.ts";
import { holdfast, lastLine, printedBy, withoutTokens } from "../holdfast.ts";
import { KEYS } from "../rooms/keys/workload.ts";
import type { Chore, Command } from "../rooms/room.ts";
import type { Scene } from "./scene.ts";

/** Milliseconds between two commands: each start costs a good part of a second of processor. */
const PAUSE_MS = 500;
/** Milliseconds for an operator that finds nothing to do. */
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
		await sleep(PAUSE_MS);
	}
}

/** The chore that is next of those that can be done now; null: none can. */
export type Rota = (build: (chore: Chore) => Command | null) => { chore: Chore; command: Command } | null;

/**
 * Every chore in its turn, as often as its weight says, so that even a short run has something of each. What cannot be
 * done waits.
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
