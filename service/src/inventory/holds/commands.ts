import { defineKinds } from "../../ground/engine/kind.ts";
import { consume } from "./consume.ts";
import { expire } from "./expire.ts";
import { expireNow } from "./expire-now.ts";
import { release } from "./release.ts";
import { reserve } from "./reserve.ts";
import { reverse } from "./reverse.ts";
import { shipConsumed } from "./ship-consumed.ts";

export const HOLD_COMMANDS = defineKinds({
	reserve,
	release,
	consume,
	reverse,
	expire,
	expireNow,
	shipConsumed,
});
