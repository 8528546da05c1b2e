/** The settings that all nodes and all commands on a database must have alike, by variable. No secret is among them. */
export const COMMON_VARIABLES = [
	"HOLDFAST_TIME_ZONE",
	"HOLDFAST_COA_URL",
	"HOLDFAST_COA_STORE",
	"HOLDFAST_COA_REQUIRED",
	"HOLDFAST_CARRIERS",
	"HOLDFAST_LABEL_PLATFORM",
	"HOLDFAST_SHIPSTATION_URL",
	"HOLDFAST_WEBHOOK_ALLOW",
] as const;
export type CommonVariable = (typeof COMMON_VARIABLES)[number];
/** Their values as texts that can be compared. */
export type CommonSettings = Readonly<Record<CommonVariable, string>>;

/** A setting that two of those who use a database have differently. */
export interface SettingDifference {
	readonly variable: CommonVariable;
	readonly theirs: string;
	readonly ours: string;
}

/**
 * Where settings differ, of the variables asked for. What one of both does not name is no difference: a node of another
 * version has settings of its own.
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

/** How `HOLDFAST_WEBHOOK_ALLOW` is named where it is not set. */
export const NOTHING_ALLOWED = "nothing";

/** Those whose text is what the variable may be set to: a shell that does not set them can do as the service does. */
const FOLLOWED = [
	"HOLDFAST_TIME_ZONE",
	"HOLDFAST_COA_URL",
	"HOLDFAST_COA_REQUIRED",
	"HOLDFAST_CARRIERS",
	"HOLDFAST_SHIPSTATION_URL",
	"HOLDFAST_WEBHOOK_ALLOW",
] as const satisfies readonly CommonVariable[];

/** The variables that a shell sets, and of those it does not set what the service runs with. */
export const followService = <E extends Readonly<Partial<Record<CommonVariable, string>>>>(
	shell: E,
	theirs: Readonly<Record<string, string>>,
): E & Readonly<Partial<Record<CommonVariable, string>>> => ({
	...Object.fromEntries(
		FOLLOWED.flatMap((name) => {
			const value = theirs[name];
			return value === undefined || value === NOTHING_ALLOWED ? [] : [[name, value]];
		}),
	),
	...shell,
});

/** What is said to whoever types a command with other settings than the service has. */
export function tellDifferences(differences: readonly SettingDifference[]): string {
	return differences
		.map(({ variable, theirs, ours }) => `${variable}: the service runs with ${theirs}, and this shell has ${ours}.`)
		.join("\n");
}

/** What to do about them. */
export const AGREE =
	"Set here what the service has; or, if what is here is to be in force, start the service with it first.";
