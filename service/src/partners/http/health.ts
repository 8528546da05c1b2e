import type { HttpServer } from "./mount.ts";

/** Paths that are answered on every connection, even beyond a limit. */
export const PROBES: readonly string[] = ["/livez", "/readyz"];

/** Null if ready; otherwise the reason, without internal details. */
export type ReadinessProbe = () => Promise<string | null>;

/** `/livez`: the process answers. `/readyz`: the service can serve, otherwise 503. Neither needs a key. */
export function addHealth(server: HttpServer, readiness: ReadinessProbe): void {
	server.serve("/livez", async () => ({ status: 200, body: { data: { status: "ok" } } }));
	server.serve("/readyz", async () => {
		const obstacle = await readiness().catch(() => "the check itself failed");
		if (obstacle === null) return { status: 200, body: { data: { status: "ready" } } };
		const code = "internal_error";
		return { status: 503, body: { error: { code, message: `Not ready: ${obstacle}.` } }, code };
	});
}
