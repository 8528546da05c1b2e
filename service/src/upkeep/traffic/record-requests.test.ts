import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { openStoppingPipe } from "../../../test/races/stopping-pipe.ts";
import { must } from "../../ground/lib/assert.ts";
import { newRequestId } from "../../ground/lib/ids.ts";
import { createLog, silentLog } from "../../ground/lib/log.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import type { AnsweredRequest } from "../../partners/http/answered.ts";
import { Tally } from "../series/tally.ts";
import { keptRequest } from "./kept-request.ts";
import { MOST_WAITING, SHARE_OF_ONE } from "./limits.ts";
import { recordRequests } from "./record-requests.ts";
import { type Batch, WaitingRequests } from "./waiting-requests.ts";
import { writeBatch } from "./write-batch.ts";

let database: TestDatabase;
beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(() => database.close());

const answered = (environment: "live" | "sandbox" = "live", url = "/api/v1/check"): AnsweredRequest => ({
	requestId: newRequestId(),
	surface: "partner",
	operation: "check",
	method: "POST",
	url,
	status: 200,
	refusal: null,
	code: undefined,
	ms: 1,
	caller: { keyId: "0199f0a0-1111-7000-8000-000000000001", environment },
	unauthenticated: null,
	authorization: undefined,
	dateSent: undefined,
	dateUsed: "2026-09-06",
	address: "203.0.113.7",
	userAgent: undefined,
	params: undefined,
	headers: undefined,
	body: undefined,
	received: null,
	sent: null,
	bytesSent: 0,
});
const ids = async (): Promise<string[]> =>
	(
		await database.db.query<{ id: string }>(
			"select r ->> 'request_id' as id from request_log cross join lateral json_array_elements(requests::json) r",
		)
	).rows.map(({ id }) => id);

describe("Answered requests", () => {
	it("are each in the log once, by batches, also those that waited when the service stopped", async () => {
		const log = recordRequests(database.url, { kept: "on", log: silentLog(), tally: new Tally() });
		const sent: string[] = [];
		for (let n = 0; n < 3_000; n++) {
			const one = answered(n % 3 === 0 ? "sandbox" : "live", `/api/v1/check?${"\\\t\n"[n % 3]}`);
			sent.push(one.requestId);
			log.record?.(one);
			if (n === 1_500) await until("the first batch", async () => (await ids()).length > 0);
		}
		await log.stop();
		expect((await ids()).toSorted()).toEqual(sent.toSorted());
		expect(log.counts()).toEqual({ written: 3_000, dropped: 0, waiting: 0 });
	});

	it("are kept as the setting says", async () => {
		const [live, sandbox] = [answered("live"), answered("sandbox")];
		expect(recordRequests(database.url, { kept: "off", log: silentLog(), tally: new Tally() }).record).toBeNull();
		const log = recordRequests(database.url, { kept: "sandbox", log: silentLog(), tally: new Tally() });
		for (const one of [live, sandbox]) log.record?.(one);
		await log.stop();
		expect(await ids()).toEqual([sandbox.requestId]);
	});

	it("wait while the database is away, up to the limit; the others are dropped, counted and logged", async () => {
		const lines: string[] = [];
		const log = recordRequests("postgresql://nobody@127.0.0.1:1/nothing", {
			kept: "on",
			log: createLog("info", { write: (line) => void lines.push(line) }),
			tally: new Tally(),
		});
		const most = MOST_WAITING * SHARE_OF_ONE;
		for (let n = 0; n < most + 10; n++) log.record?.(answered());
		expect(log.counts()).toEqual({ written: 0, dropped: 10, waiting: most });
		await until("the log to say so", () => lines.length >= 2);
		await log.stop();
		expect(lines.join("")).toMatch(/requests were dropped from the log/);
	});
});

describe("A batch", () => {
	const batchOf = (...requests: AnsweredRequest[]): Batch => {
		const waiting = new WaitingRequests();
		for (const one of requests) waiting.add(must(keptRequest(one, Date.now()), "a request"), one);
		return waiting.take();
	};
	const batch = (): Batch => batchOf(answered(), answered(), answered());

	it("whose connection is lost at its COMMIT is written once, whether the server carried it out or not", async () => {
		for (const moment of ["when it was sent", "when it was done"] as const) {
			const pipe = await openStoppingPipe(database.url, "holdfast requests");
			const db = openDatabase(pipe.url, { max: 2, name: "holdfast requests" });
			try {
				await writeBatch(db, batch());
				const before = (await ids()).length;
				const stopped = pipe.watch({ statement: "commit", moment });
				const writing = writeBatch(db, batch());
				const pid = await stopped;
				await database.db.query("select pg_terminate_backend($1)", [pid]);
				const failed = await writing.then(
					() => false,
					() => true,
				);
				expect((await ids()).length).toBe(failed ? before : before + 3);
			} finally {
				await db.close();
				await pipe.close();
			}
		}
	});

	it("with a text that PostgreSQL cannot store is written with a sign for it", async () => {
		const db = openDatabase(database.url, { max: 1 });
		await writeBatch(db, batchOf(answered("live", '/\0\\"\n')));
		await db.close();
		const { rows } = await database.db.query<{ url: string }>(
			"select requests::json -> 0 ->> 'url' as url from request_log",
		);
		expect(rows).toEqual([{ url: '/\u2400\\"\n' }]);
	});
});
