import { expect, it } from "vitest";
import type { Exchange, FaultLine, Line } from "../history.ts";
import { outagesOf } from "./outages.ts";

const answered = (end: number, path: string, status: number): Exchange => ({
	kind: "exchange",
	op: "any",
	actor: "a",
	secret: 0,
	node: "svc1",
	group: end,
	start: end - 1,
	end,
	method: "POST",
	path,
	body: null,
	status,
	reply: null,
	trouble: null,
	unsent: false,
});
const reserve = (end: number, status = 201): Exchange => answered(end, "/api/v1/reserve", status);
const fault = (kind: string, began: number, ended: number, lastedMs?: number): FaultLine => ({
	kind: "fault",
	fault: kind,
	what: "",
	began,
	ended,
	touched: "all",
	...(lastedMs === undefined ? {} : { lastedMs }),
});

it("the time without accepted writes is that between two acknowledgements, not that of the fault", () => {
	const lines: Line[] = [
		reserve(90),
		fault("cut", 100, 400, 50),
		...[110, 280, 300, 390, 410].map((at) => reserve(at)),
	];
	expect(outagesOf(lines)).toEqual([{ kind: "cut", withoutMs: [170], lastedMs: [50] }]);
});

it("neither a refusal nor an error nor a read counts as an accepted write", () => {
	const others = [reserve(150, 500), reserve(160, 409), answered(170, "/api/v1/check", 200)];
	expect(outagesOf([reserve(95), fault("cut", 100, 200), ...others, reserve(230)])[0]?.withoutMs).toEqual([130]);
});

it("a fault after which nothing was accepted counts to its end at least", () => {
	expect(outagesOf([reserve(10), fault("cut", 100, 200)])[0]?.withoutMs).toEqual([100]);
});

it("faults are told apart by their kind", () => {
	const lines: Line[] = [fault("b", 0, 10), fault("a", 20, 30), fault("b", 40, 60)];
	expect(outagesOf(lines).map(({ kind, withoutMs }) => [kind, withoutMs])).toEqual([
		["a", [10]],
		["b", [10, 20]],
	]);
});
