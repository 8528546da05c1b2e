import { createLinks } from "../../../service/src/assembly/links.ts";
import { createCursors } from "../../../service/src/ground/lib/cursor.ts";
import { isRefusal } from "../../../service/src/ground/lib/refusal.ts";
import { createHelpLinks } from "../../../service/src/partners/http/help-links.ts";
import type { AnyHandler } from "../../../service/src/partners/http/mount.ts";
import { createRateLimit } from "../../../service/src/partners/http/rate-limit.ts";
import { createAuthenticate } from "../../../service/src/partners/keys/authenticate.ts";
import { newKeyRingEntry, parseKeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import type { Clock } from "../client/types.ts";
import { makeCatalog, named, poolOf } from "./catalog.ts";
import { putCertificate, putSampleCertificates } from "./certificates.ts";
import { createDatabase } from "./database.ts";
import { createDoor } from "./door.ts";
import { createEngine } from "./engine.ts";
import { brandsOf, type FakeKey, mintFakeKey } from "./key.ts";
import { mountOperations } from "./operations.ts";
import { requestRecorder } from "./request-operation.ts";
import { Rows } from "./rows.ts";
import { createSandboxTime, restock } from "./sandbox.ts";
import { receive } from "./stocking.ts";
import { createTestClock } from "./test-clock.ts";
import type { FakeHoldfast, FakeOptions, LotOptions, TestClock, WorldOptions } from "./types.ts";
import { createWorld, DEFAULT_BATCH, Failures } from "./world.ts";

export type {
	CertificateOptions,
	CertificateStatus,
	FailureCode,
	FakeEvent,
	FakeHoldfast,
	FakeOptions,
	FormulaOptions,
	KeyOptions,
	LabelOptions,
	LotOptions,
	Scope,
	SkuOptions,
	TestClock,
	World,
	WorldOptions,
} from "./types.ts";

/** Where the two addresses would be; requests to any other are answered too. */
const API_URL = "https://api.holdfast.test";
const COA_URL = "https://coa.holdfast.test";

/**
 * The service in memory, for a partner's unit tests: its own rules, checks and replies, for one key, on a clock that
 * the test sets. Nothing leaves the process.
 */
export function createFakeHoldfast(options?: Omit<FakeOptions, "clock">): FakeHoldfast;
export function createFakeHoldfast<C extends Clock>(options: FakeOptions<C> & { readonly clock: C }): FakeHoldfast<C>;
export function createFakeHoldfast({ world = {}, clock: given }: FakeOptions = {}): FakeHoldfast<Clock> {
	const clock: Clock | TestClock = given ?? createTestClock(Date.now());
	const now = (): number => Math.floor(clock.now());
	const ring = parseKeyRing(newKeyRingEntry());
	const brands = brandsOf(world);
	const key = mintFakeKey(world, brands, ring, now);
	const rows = new Rows();
	const made = makeCatalog(world, { partnerId: key.key.caller.partnerId, brands }, now());
	const links = createLinks(() => COA_URL, { carriers: {} });
	const engine = createEngine({ rows, catalog: made.catalog, links, caller: key.key.caller, now });
	const means = { rows, engine, ...made, now };
	furnish(means, world, key, brands);
	const time = createSandboxTime(means, now());
	const failures = new Failures();
	const rateLimit = createRateLimit({ now });
	const lost = new Set<string>();
	const around =
		(handle: AnyHandler): AnyHandler =>
		(request) => {
			const failure = failures.take();
			if (failure === "lost") lost.add(request.requestId);
			return isRefusal(failure) ? failure : handle(request);
		};
	const help = createHelpLinks(API_URL);
	const door = createDoor({ rateLimit, help, record: requestRecorder(rows, key.key, now), now, around });
	mountOperations(door, {
		...means,
		db: createDatabase(means),
		links,
		coaUrl: COA_URL,
		cursors: createCursors(ring.peppers.map((pepper) => pepper.key)),
		ring,
		keys: key.cache,
		key: key.current,
		authenticate: createAuthenticate(key.cache, ring),
		rateLimit,
		start: now(),
	});
	return {
		async fetch(input, init) {
			const request = new Request(input, init);
			request.signal.throwIfAborted();
			time.follow(now());
			const reply = await door.answer(request);
			if (!lost.delete(reply.headers.get("x-request-id") ?? "")) return reply;
			throw new TypeError("fetch failed", { cause: new Error("The test asked for this answer to be lost.") });
		},
		token: key.token,
		clock,
		world: createWorld({ ...means, key, links, failures, catchUp: () => time.follow(now()) }),
	};
}

/** Creates everything that the world has at the beginning. */
function furnish(
	{
		rows,
		engine,
		formulaIds,
		now,
	}: Parameters<typeof restock>[0] & { readonly rows: Rows; readonly now: () => number },
	world: WorldOptions,
	key: FakeKey,
	brands: readonly string[],
): void {
	const own = key.key.caller.environment === "live" ? key.key.caller.brandCode : null;
	const shelf = (formula: string, brandCode: string | null = own) => ({
		formulaId: named(formulaIds, formula),
		poolId: poolOf(brandCode, brands),
	});
	for (const { formula, units, brandCode } of world.promised ?? []) {
		const { formulaId, poolId } = shelf(formula, brandCode);
		rows.promised.set(`${formulaId}/${poolId}`, units);
	}
	restock({ engine, formulaIds });
	const ofStock = Object.entries(world.stock ?? {}).map(([formula, units]): LotOptions => ({ formula, units }));
	for (const { formula, units, batchNumber = DEFAULT_BATCH, expiresOn = null, brandCode } of [
		...ofStock,
		...(world.lots ?? []),
	]) {
		if (units > 0) receive(engine, { ...shelf(formula, brandCode), batchNumber, expiresOn }, units);
	}
	putSampleCertificates(rows, now());
	for (const certificate of world.certificates ?? []) putCertificate(rows, certificate, now());
}
