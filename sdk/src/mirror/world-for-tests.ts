import { createRandom } from "../../../service/test/contract/random.ts";
import { type MirrorAlert, memoryStore } from "./index.ts";
import { openMemory } from "./network-for-tests.ts";
import { type Machine, PartnerProcess } from "./partner-for-tests.ts";
import { HostileService } from "./service-for-tests.ts";
import { TestTime } from "./time-for-tests.ts";
import { Truth } from "./truth-for-tests.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
/** Between two refreshes of a mirror. */
export const EVERY = 4 * MINUTE;
const look = (): void => undefined;

/** A service whose data does not change, and a partner's machine. */
export function openWorld(stores: Partial<Machine["stores"]> = {}) {
	const time = new TestTime();
	const random = createRandom(1);
	const truth = new Truth(time, random);
	const service = new HostileService(time, random, truth);
	const network = openMemory(service);
	const alerts: MirrorAlert[] = [];
	const machine: Machine = {
		clockMs: 0,
		stores: { inventory: memoryStore(), coa: memoryStore(), ...stores },
		onAlert: (of, alert) => of === "inventory" && alerts.push(alert),
		onRequest: () => undefined,
	};
	const boot = (): PartnerProcess =>
		new PartnerProcess(time, network, machine, { mine: "SKU-1", fee: "SKU-9", gone: "NO-SUCH" });
	const setStock = (qty: number): void => truth.skus[1]?.history.set(time.now, qty);
	setStock(7);
	return { time, truth, service, network, machine, alerts, boot, setStock, run: (ms: number) => time.run(ms, look) };
}
