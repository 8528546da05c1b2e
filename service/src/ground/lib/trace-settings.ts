import { optional, setting, toHttpUrl, toInteger } from "./setting.ts";

const DEFAULT_PERCENT = 100;

export const TRACE_SETTINGS = {
	/** Without a slash at the end; null: nothing is traced. */
	otlpUrl: optional(
		"HOLDFAST_OTLP_URL",
		"collector that takes traces by OTLP over HTTP, such as http://127.0.0.1:4318 (unset: no traces)",
		toHttpUrl,
	),
	otlpPercent: setting(
		"HOLDFAST_OTLP_PERCENT",
		`percent of requests and of deliveries that are traced (${DEFAULT_PERCENT})`,
		(text) => toInteger(text, 0, DEFAULT_PERCENT),
		DEFAULT_PERCENT,
	),
};
