/** At the end, acknowledged operations are checked again through the API. */
import type { Case } from "../check/case.ts";
import type { Finding } from "../check/findings.ts";
import { finding } from "../check/findings.ts";
import type { Probe } from "../rooms/room.ts";
import { ROOMS } from "../rooms/rooms.ts";
import type { Scene } from "./scene.ts";

/** Maximum number of probes; those about operations acknowledged near a fault come first. */
const MOST_PROBES = 1_500;
const TOGETHER = 16;
const MOST_ATTEMPTS = 3;

export async function askAgain(on: Case, scene: Scene): Promise<{ findings: Finding[]; probes: number }> {
	const chance = scene.chance.fork("probes");
	// counts are requested before other probes can change them
	const chosen = ROOMS.flatMap(({ oracle }) => {
		const probes = oracle.probes(on);
		const others = probes.filter(({ urgent }) => !urgent);
		for (let i = others.length - 1; i > 0; i--) {
			const other = chance.between(0, i);
			[others[i], others[other]] = [others[other] as Probe, others[i] as Probe];
		}
		return [...probes.filter(({ urgent }) => urgent), ...others].slice(0, MOST_PROBES);
	});
	const findings: Finding[] = [];
	const tokens = new Map(scene.partners.map(({ actor, token }) => [actor.name, token]));
	const askable = chosen.filter(({ actor }) => tokens.has(actor));
	for (let i = 0; i < askable.length; i += TOGETHER) {
		const answers = askable.slice(i, i + TOGETHER).map((probe) => ask(scene, probe, tokens.get(probe.actor) ?? ""));
		for (const found of await Promise.all(answers)) if (found) findings.push(found);
	}
	return { findings, probes: askable.length };
}

async function ask({ clients, chance }: Scene, probe: Probe, token: string): Promise<Finding | null> {
	const { method, path, body, key } = probe;
	for (let attempts = 1; ; attempts++) {
		const answer = await chance
			.pick([...clients.values()])
			.send({ method, path, token, ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) });
		if (answer.status !== null && answer.status < 500) return probe.judge(answer.status, answer.reply);
		// a kept-alive connection may be dead
		if (attempts === MOST_ATTEMPTS)
			return finding("unexpected", `${method} ${path} is not answered at the end: ${answer.status ?? answer.trouble}`);
	}
}
