import pino from "pino";
import { withoutSecrets } from "./mask-secrets.ts";
import type { LogLevel } from "./setting.ts";

/** The only fields of a log line; all others are dropped. Never a header, a body or a secret. */
const FIELDS = [
	"requestId",
	"operation",
	"method",
	"path",
	"status",
	"ms",
	"pk",
	"code",
	"apiDate",
	"address",
	"port",
	"signal",
	"version",
	"count",
	"units",
	"sku",
	"reason",
	"step",
	"task",
	"job",
	"endpoint",
] as const;
export type LogFields = { readonly [F in (typeof FIELDS)[number]]?: string | number | null | undefined };

export interface Log {
	/** One line per request, written by the gate. */
	request(fields: LogFields): void;
	debug(message: string, fields?: LogFields): void;
	info(message: string, fields?: LogFields): void;
	warn(message: string, fields?: LogFields, error?: unknown): void;
	/** `error` is logged with its stack. */
	error(message: string, fields?: LogFields, error?: unknown): void;
	/** Writes the lines still in memory. */
	flush(): void;
}

/**
 * JSON lines. Without `destination` they go to standard output, asynchronously, so that a line never delays a reply.
 * Request lines are written several at a time, all others immediately.
 */
export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
	const target = destination ?? pino.destination({ dest: 1, sync: false });
	const lines =
		destination === undefined ? collectLines(target) : { ...NOT_COLLECTED, write: target.write.bind(target) };
	const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
	const line =
		(severity: "debug" | "info" | "warn" | "error") =>
		(message: string, fields?: LogFields, error?: unknown): void => {
			if (!log.isLevelEnabled(severity)) return;
			log[severity]({ ...allowed(fields), ...(error === undefined ? {} : described(error)) }, withoutSecrets(message));
			lines.writeOut();
		};
	return {
		// the gate builds these fields itself, so they need no filtering
		request: (fields) => log.info(fields, "request"),
		debug: line("debug"),
		info: line("info"),
		warn: line("warn"),
		error: line("error"),
		flush: () => {
			lines.writeOut();
			if ("flushSync" in target && typeof target.flushSync === "function") flushQuietly(target.flushSync.bind(target));
		},
	};
}

const NOT_COLLECTED = { writeOut: () => undefined };

export const silentLog = (): Log => createLog("silent", { write: () => undefined });

function allowed(fields: LogFields = {}): Record<string, unknown> {
	const picked: Record<string, unknown> = {};
	for (const name of FIELDS) {
		const value = fields[name];
		if (value !== undefined) picked[name] = typeof value === "string" ? withoutSecrets(value) : value;
	}
	return picked;
}

function described(error: unknown): Record<string, unknown> {
	if (!(error instanceof Error)) return { error: withoutSecrets(String(error)) };
	const cause = error.cause instanceof Error ? { cause: withoutSecrets(error.cause.stack ?? error.cause.message) } : {};
	return { error: withoutSecrets(error.stack ?? error.message), ...cause };
}

function flushQuietly(flush: () => void): void {
	try {
		flush();
	} catch {
		// nothing was written yet, or the reader is gone
	}
}

/** Characters collected before they are written. */
const MOST_COLLECTED = 16_384;
/** Milliseconds after which collected lines are written anyway; a process that is killed before that loses them. */
const COLLECTED_FOR_MS = 50;

interface Sink {
	write(text: string): unknown;
}

/** Collects lines and writes several at a time: on a loaded node, one write costs as much as several lines. */
export interface CollectedLines extends Sink {
	writeOut(): void;
}

export function collectLines(sink: Sink): CollectedLines {
	let collected = "";
	let timer: NodeJS.Timeout | null = null;
	const writeOut = (): void => {
		if (timer !== null) clearTimeout(timer);
		timer = null;
		if (collected === "") return;
		const text = collected;
		collected = "";
		sink.write(text);
	};
	return {
		write(line) {
			collected += line;
			if (collected.length >= MOST_COLLECTED) writeOut();
			else timer ??= setTimeout(writeOut, COLLECTED_FOR_MS).unref(); // must not keep the process alive
		},
		writeOut,
	};
}
