import { openEmbedded } from "../../src/ground/embedded/embedded.ts";

// A process that uses the embedded PostgreSQL of a folder until it is stopped (SIGTERM) or killed; as a "visitor" it
// ends at once. Prints what happens as JSON lines: {say}, {ready: {url, pid}}, {error}, {evicted}.
const [dataDir = "", role = "tool", pgBin] = process.argv.slice(2);
const print = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
try {
	const embedded = await openEmbedded({
		dataDir,
		role: role === "service" ? "service" : "tool",
		pgBin,
		say: (say) => print({ say }),
		onEvicted: (error) => print({ evicted: error.message }),
	});
	process.once("SIGTERM", () => {
		void embedded.close().then(() => process.exit(0));
	});
	print({ ready: { url: embedded.url, pid: embedded.pid() } });
	if (role === "visitor") await embedded.close();
	else setInterval(() => undefined, 60_000); // keep running until stopped
} catch (error) {
	print({ error: (error as Error).message });
	process.exitCode = 1;
}
