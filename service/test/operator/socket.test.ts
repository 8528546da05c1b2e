import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { GetMe } from "../../src/partners/people/me-contract.ts";
import { openHouse } from "../house.ts";
import { operate } from "../operate.ts";

/** The account `nobody` of every Linux. */
const NOBODY = 65_534;

it("whoever opens the socket is the service's account as admin, and the kernel lets in no other account", async () => {
	const house = await openHouse();
	const { socket } = house;
	try {
		const me = await operate({ socket }, GetMe);
		expect(me.json.data).toMatchObject({ name: userInfo().username, role: "admin", via: "socket" });
		expect((await stat(socket)).mode & 0o777).toBe(0o600);
		if (process.getuid?.() !== 0) return; // only root may run a command as another account
		const connect = `require("node:net").connect(${JSON.stringify(socket)}).once("error", (e) => console.log(e.code)).once("connect", function () { console.log("in"); this.destroy(); })`;
		const { stdout } = await promisify(execFile)("/proc/self/exe", ["-e", connect], { uid: NOBODY, gid: NOBODY }).catch(
			() =>
				promisify(execFile)("setpriv", [
					`--reuid=${NOBODY}`,
					`--regid=${NOBODY}`,
					"--clear-groups",
					"python3",
					"-c",
					`import socket,errno\ntry:\n socket.socket(socket.AF_UNIX).connect(${JSON.stringify(socket)}); print("in")\nexcept OSError as e: print(errno.errorcode[e.errno])`,
				]),
		);
		expect(stdout.trim()).toBe("EACCES");
	} finally {
		await house.close();
	}
	await expect(stat(socket)).rejects.toThrow("ENOENT");
});

it("a second service on the same socket serves without it, and a socket that was left behind is taken over", async () => {
	const first = await openHouse();
	const { socket } = must(first.nodes[0], "a node");
	const second = await openHouse({ env: { HOLDFAST_ADMIN_SOCKET: socket } });
	expect((await fetch(`${second.api}/livez`)).status).toBe(200);
	expect((await operate({ socket }, GetMe)).status).toBe(200);
	await second.close();
	expect((await operate({ socket }, GetMe)).status).toBe(200);
	await first.close();
});

it.each([["HOLDFAST_ADMIN=off", { HOLDFAST_ADMIN: "off" }]])(
	"with %s the network has no operator's API, and the socket has",
	async (_title, env) => {
		const house = await openHouse({ env });
		const { socket } = house;
		try {
			for (const path of ["/admin/api/v1/me", "/admin/api/openapi.json"]) {
				const answer = await fetch(house.api + path);
				expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
					404,
					"not_found",
				]);
			}
			expect((await operate({ socket }, GetMe)).status).toBe(200);
		} finally {
			await house.close();
		}
	},
);

it("with a port of its own it is there, and the partner API answers 404 below /admin", async () => {
	const house = await openHouse({ env: { HOLDFAST_ADMIN_PORT: "0" } });
	try {
		expect((await fetch(`${house.api}/admin/api/v1/me`)).status).toBe(404);
	} finally {
		await house.close();
	}
});
