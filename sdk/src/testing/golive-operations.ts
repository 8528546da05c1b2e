import { type Gate, mount } from "../../../service/src/partners/http/mount.ts";
import {
	NO_RUN,
	NONE_RUNNING,
	PostShown,
	ReadGoLive,
	StartDrill,
} from "../../../service/src/upkeep/golive/contract.ts";
import { NOT_FOR_LIVE_KEYS } from "../../../service/src/upkeep/traffic/contract.ts";

/**
 * The operations of a go-live, for a key without a run: only an operator starts one, and it looks at a partner's real
 * site.
 */
export function goLiveOperations(gate: Gate): void {
	mount(gate, ReadGoLive, ({ caller }) => (caller.environment === "sandbox" ? NO_RUN : NOT_FOR_LIVE_KEYS));
	for (const operation of [StartDrill, PostShown])
		mount(gate, operation, ({ caller }) => (caller.environment === "sandbox" ? NONE_RUNNING : NOT_FOR_LIVE_KEYS));
}
