import type { LabelPlatform } from "./label-platform.ts";

/** The built-in queue: boxes are packed from the service itself, so there is no external platform to call. */
export const BUILT_IN_PLATFORM: LabelPlatform = {
	id: "built-in",
	push: () => Promise.resolve({ outcome: "not_needed" }),
	cancel: () => Promise.resolve("cancelled"),
	stop: () => Promise.resolve("stopped"),
	letGoOn: () => Promise.resolve("goes_on"),
	combine: () => Promise.resolve("combined"),
	find: () => Promise.resolve(null),
	boxOf: () => Promise.resolve(null),
	changesSince: () => Promise.resolve({ hints: [], next: null }),
	read: () => Promise.resolve(null),
};
