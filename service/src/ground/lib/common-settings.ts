/** The settings that must be equal on all nodes and commands of a database, by variable. None is secret. */
export const COMMON_VARIABLES = [
	"HOLDFAST_TIME_ZONE",
	"HOLDFAST_COA_URL",
	"HOLDFAST_COA_STORE",
	"HOLDFAST_COA_REQUIRED",
	"HOLDFAST_CARRIERS",
	"HOLDFAST_LABEL_PLATFORM",
	"HOLDFAST_SHIPSTATION_URL",
	"HOLDFAST_WEBHOOK_ALLOW",
	"HOLDFAST_CUSTOMER_DATA_DAYS",
] as const;
export type CommonVariable = (typeof COMMON_VARIABLES)[number];
/** Their values as comparable texts. */
export type CommonSettings = Readonly<Record<CommonVariable, string>>;

/** A setting that differs between two users of a database. */
export interface SettingDifference {
	readonly variable: CommonVariable;
	readonly theirs: string;
	readonly ours: string;
}

/**
 * Compares the given variables. A variable that one side lacks is not a difference: other versions have other
 * settings.
 */
export function settingDifferences(
	theirs: Readonly<Record<string, string>>,
	ours: CommonSettings,
	variables: readonly CommonVariable[] = COMMON_VARIABLES,
): SettingDifference[] {
	return variables.flatMap((variable) => {
		const value = theirs[variable];
		return value === undefined || value === ours[variable] ? [] : [{ variable, theirs: value, ours: ours[variable] }];
	});
}

/** Represents an unset `HOLDFAST_WEBHOOK_ALLOW`. */
export const NOTHING_ALLOWED = "nothing";

/** Variables whose shown text may be no valid value: a shell that does not set them cannot use the service's. */
const NOT_FOLLOWED: ReadonlySet<CommonVariable> = new Set(["HOLDFAST_COA_STORE", "HOLDFAST_LABEL_PLATFORM"]);

/** The shell's variables, and for those it does not set, the service's. */
export const followService = <E extends Readonly<Partial<Record<CommonVariable, string>>>>(
	shell: E,
	theirs: Readonly<Record<string, string>>,
): E & Readonly<Partial<Record<CommonVariable, string>>> => ({
	...Object.fromEntries(
		COMMON_VARIABLES.filter((name) => !NOT_FOLLOWED.has(name)).flatMap((name) => {
			const value = theirs[name];
			return value === undefined || value === NOTHING_ALLOWED ? [] : [[name, value]];
		}),
	),
	...shell,
});

/** The message for a user whose command has other settings than the service. */
export function tellDifferences(differences: readonly SettingDifference[]): string {
	return differences
		.map(({ variable, theirs, ours }) => `${variable}: the service runs with ${theirs}, and this shell has ${ours}.`)
		.join("\n");
}

export const AGREE =
	"Set the service's value here; or, to change the setting, restart the service with the new value first.";
