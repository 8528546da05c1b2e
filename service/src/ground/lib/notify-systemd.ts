import { execFile } from "node:child_process";

/** Milliseconds for systemd to take a notification. */
const NOTIFY_MS = 5_000;

/**
 * Notifies systemd at its socket that the service is ready, or that it stops. Node cannot open Unix datagram sockets,
 * so systemd's own command sends the message: the unit needs `NotifyAccess=all`. Logs a failure; the service itself
 * does not depend on it.
 */
export function notifySystemd(socket: string, state: "ready" | "stopping", say: (line: string) => void): void {
	const message = state === "ready" ? "READY=1" : "STOPPING=1";
	execFile("systemd-notify", [message], { timeout: NOTIFY_MS, env: { NOTIFY_SOCKET: socket } }, (error) => {
		if (error !== null) say(`systemd could not be notified of ${message}: ${error.message.trim()}`);
	});
}
