import type { Provider } from "./provider.ts";
import type { SignInDeps } from "./sign-in.ts";

/** What the operations on people and their sessions need. */
export interface PeopleMeans extends Omit<SignInDeps, "db"> {
	/** The public address of the operator's API. */
	readonly adminUrl: () => string;
	/** Whether that address begins with https. */
	readonly secure: boolean;
	/** Where people may sign in instead; null: nowhere. */
	readonly provider: Provider | null;
	/** Whether every person must have a second factor. */
	readonly isSecondFactorRequired: boolean;
}

export interface PeopleRouteDeps {
	readonly db: SignInDeps["db"];
	readonly people: PeopleMeans;
}
