import type { Fault } from "../ground/types.ts";
import { backendFreeze } from "./backend-freeze.ts";
import { backendKill } from "./backend-kill.ts";
import { backendCancel, backendTerminate } from "./backend-signals.ts";
import { clockStep } from "./clock-step.ts";
import { clientCuts, databaseCuts } from "./cuts.ts";
import { diskFull } from "./disk-full.ts";
import { postgresFreeze } from "./postgres-freeze.ts";
import { postgresKill } from "./postgres-kill.ts";
import { promotion } from "./promotion.ts";
import { readOnly } from "./read-only.ts";
import { serviceFreeze } from "./service-freeze.ts";
import { serviceKill } from "./service-kill.ts";
import { databaseSilence, nodeVanishes } from "./silence.ts";
import { clientSlow, databaseSlow } from "./slow.ts";
import { holdLocked, lotLocked, orderLocked } from "./stranger-locks.ts";

/** All kinds of fault. */
export const FAULTS: readonly Fault[] = [
	serviceKill,
	serviceFreeze,
	postgresKill,
	postgresFreeze,
	backendKill,
	backendFreeze,
	backendTerminate,
	backendCancel,
	databaseCuts,
	clientCuts,
	databaseSilence,
	nodeVanishes,
	databaseSlow,
	clientSlow,
	lotLocked,
	holdLocked,
	orderLocked,
	diskFull,
	readOnly,
	clockStep,
	promotion,
];
