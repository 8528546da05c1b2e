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
import { bad, type Diagnosis, good } from "../../../service/src/upkeep/health/diagnosis.ts";
import { COMMON_SETTINGS, judgeNodes } from "../../../service/src/upkeep/health/judge-nodes.ts";

/** Checks that this shell has the service's settings and that all nodes have the same. */
export async function examineSettings(shell: Env, db: Query): Promise<Diagnosis[]> {
	const nodes = await selectRunningNodes(db);
	return judgeSettings(commonSettingsOf(toConfig(followService(shell, nodes[0]?.settings ?? {}))), nodes);
}

/** `nodes`: the one that started last comes first. */
export function judgeSettings(ours: CommonSettings, nodes: readonly RunningNode[]): Diagnosis[] {
	const [last] = nodes;
	if (last === undefined)
		return [good(COMMON_SETTINGS, "no service has run on this database yet: there is nothing to compare with")];
	const differences = settingDifferences(last.settings, ours);
	return [
		differences.length === 0
			? good(COMMON_SETTINGS, `this shell has the settings of the ${last.isRunning ? "service" : "service's last run"}`)
			: bad(COMMON_SETTINGS, tellDifferences(differences).replaceAll("\n", " "), AGREE),
		...judgeNodes(nodes),
	];
}
