import type { Reads } from "../ground/pg/reads.ts";
import { OPERATORS, type Operator } from "../partners/admin/operator.ts";
import type { Gate } from "../partners/http/mount.ts";
import { GetRun } from "../partners/runs/admin-contract.ts";

/**
 * A gate after whose writes operators' lists show what was written, even if a replica answers. Reading a run counts as
 * a write, because that is how the caller learns that the run has ended.
 */
export const followWrites = (gate: Gate<Operator>, reads: Pick<Reads, "follow">): Gate<Operator> => ({
	surface: gate.surface,
	dates: gate.dates,
	get operations() {
		return gate.operations;
	},
	add(operation, handle, options) {
		const isFollowed = operation.method !== "GET" || operation === GetRun;
		const followed: typeof handle = async (request) => {
			try {
				return await handle(request);
			} finally {
				reads.follow(OPERATORS);
			}
		};
		gate.add(operation, isFollowed ? followed : handle, options);
	},
});
