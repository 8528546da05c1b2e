import { attacks } from "./attacks.ts";
import { crashes } from "./crashes.ts";
import { fairness } from "./fairness.ts";
import { fatBodies } from "./fat-bodies.ts";
import { labelPlatform } from "./label-platform.ts";
import { longImport } from "./long-import.ts";
import { pointInTime } from "./point-in-time.ts";
import { promotions } from "./promotions.ts";
import { revoked } from "./revoked.ts";
import { silentEngine } from "./silent-engine.ts";
import { strangerLock } from "./stranger-lock.ts";
import type { Trial } from "./trial.ts";
import { vanishedNode } from "./vanished-node.ts";

/** All trials; `npm run lab -- trial NAME`. */
export const TRIALS: readonly Trial[] = [
	crashes,
	promotions,
	strangerLock,
	vanishedNode,
	silentEngine,
	longImport,
	fatBodies,
	revoked,
	fairness,
	attacks,
	labelPlatform,
	pointInTime,
];
