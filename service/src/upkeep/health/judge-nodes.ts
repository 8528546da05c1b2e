import { bad, type Diagnosis } from "./diagnosis.ts";

export const COMMON_SETTINGS = "common settings";

/** A running node, or the one that ran last. */
interface NodeWithSettings {
	readonly startedAt: Date;
	readonly isRunning: boolean;
	readonly settings: { readonly [variable: string]: string };
}

/** The settings in which running nodes differ from the one that started last, which is the first of them. Pure. */
export function judgeNodes([last, ...others]: readonly NodeWithSettings[]): Diagnosis[] {
	if (last === undefined) return [];
	return others.filter(({ isRunning }) => isRunning).flatMap((node) => judgeNode(node, last));
}

function judgeNode(node: NodeWithSettings, last: NodeWithSettings): Diagnosis[] {
	const names = Object.keys(last.settings).filter(
		(name) => (node.settings[name] ?? last.settings[name]) !== last.settings[name],
	);
	return names.map((name) =>
		bad(
			COMMON_SETTINGS,
			`two nodes differ in ${name}: the one started at ${node.startedAt.toISOString()} runs with ${node.settings[name]}, the one started at ${last.startedAt.toISOString()} with ${last.settings[name]}`,
			"Give both nodes the same value, and restart the one that had the wrong value.",
		),
	);
}
