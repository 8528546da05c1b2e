import { commonSettingsOf } from "../../../service/src/assembly/common-settings.ts";
import { type Env, toConfig } from "../../../service/src/config.ts";
import {
	AGREE,
	type CommonSettings,
	followService,
	settingDifferences,
	tellDifferences,
} from "../../../service/src/ground/lib/common-settings.ts";
import type { Query } from "../../../service/src/ground/pg/connect.ts";
import { type RunningNode, selectRunningNodes } from "../../../service/src/ground/pg/running-nodes.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";

const WHAT = "common settings";

/** Checks that this shell has the service's settings and that all nodes have the same. */
export async function examineSettings(shell: Env, db: Query): Promise<Diagnosis[]> {
	const nodes = await selectRunningNodes(db);
	return judgeSettings(commonSettingsOf(toConfig(followService(shell, nodes[0]?.settings ?? {}))), nodes);
}

/** `nodes`: the one that started last comes first. */
export function judgeSettings(ours: CommonSettings, nodes: readonly RunningNode[]): Diagnosis[] {
	const [last, ...others] = nodes;
	if (last === undefined) return [good(WHAT, "no service ran on this database yet: there is nothing to compare with")];
	const differences = settingDifferences(last.settings, ours);
	const running = others.filter(({ isRunning }) => isRunning);
	const found = [
		differences.length === 0
			? good(WHAT, `this shell has those of the ${last.isRunning ? "service" : "service's last run"}`)
			: bad(WHAT, tellDifferences(differences).replaceAll("\n", " "), AGREE),
	];
	for (const node of running) found.push(...judgeNode(node, last));
	return found;
}

function judgeNode(node: RunningNode, last: RunningNode): Diagnosis[] {
	const names = Object.keys(last.settings).filter(
		(name) => (node.settings[name] ?? last.settings[name]) !== last.settings[name],
	);
	return names.map((name) =>
		bad(
			WHAT,
			`two nodes differ in ${name}: the one started at ${node.startedAt.toISOString()} runs with ${node.settings[name]}, the one started at ${last.startedAt.toISOString()} with ${last.settings[name]}`,
			"Give both the same, and restart the one that is wrong.",
		),
	);
}
