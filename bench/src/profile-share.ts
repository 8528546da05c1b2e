import { readFile } from "node:fs/promises";

/** A profile as `node --cpu-prof` writes it. */
interface Profile {
	readonly nodes: readonly {
		readonly id: number;
		readonly callFrame: { readonly functionName: string; readonly url: string };
		readonly children?: readonly number[];
	}[];
	/** The node of each sample, and the microseconds from the sample before. */
	readonly samples: readonly number[];
	readonly timeDeltas: readonly number[];
}

const IDLE = "(idle)";

/** The share of a process's time, but for its idle time, in which code of a folder or what it called was running. */
export async function shareOfProfile(file: string, folder: string): Promise<number> {
	const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, "utf8")) as Profile;
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const inside = new Set<number>();
	const mark = (id: number, isBelow: boolean): void => {
		const node = byId.get(id);
		const isInside = isBelow || (node?.callFrame.url.includes(folder) ?? false);
		if (isInside) inside.add(id);
		for (const child of node?.children ?? []) mark(child, isInside);
	};
	const [root] = nodes;
	if (root !== undefined) mark(root.id, false);
	let [busy, found] = [0, 0];
	for (const [at, id] of samples.entries()) {
		if (byId.get(id)?.callFrame.functionName === IDLE) continue;
		const us = timeDeltas[at] ?? 0;
		busy += us;
		if (inside.has(id)) found += us;
	}
	return found / busy;
}
