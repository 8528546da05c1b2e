import { defineKinds } from "../engine/kind.ts";
import { consume } from "./consume.ts";
import { expire } from "./expire.ts";
import { expireNow } from "./expire-now.ts";
import { destroy, quarantine } from "./quarantine.ts";
import { release } from "./release.ts";
import { reserve } from "./reserve.ts";
import { reverse } from "./reverse.ts";

/** The commands of holds. */
export const HOLD_COMMANDS = defineKinds({
	reserve,
	release,
	consume,
	reverse,
	expire,
	expireNow,
	quarantine,
	destroy,
});
