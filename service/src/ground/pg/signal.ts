/** Sends a signal; false if there is no such process. Signal 0 only checks. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(pid, name);
	} catch (error) {
		return (error as { code?: string }).code === "EPERM";
	}
}
