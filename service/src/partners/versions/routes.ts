import { type Gate, mount } from "../http/mount.ts";
import { ListVersions } from "./contract.ts";

export function routes(gate: Gate): void {
	const items = gate.dates.accepted.map(({ date, status, sunsetOn }) => ({
		version: date,
		status,
		sunset_on: sunsetOn,
	}));
	mount(gate, ListVersions, () => ({ status: 200, data: { items } }));
}
