import type { TSchema } from "typebox";

/** What the checks of values read of their schema. */
export interface JsonSchema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, TSchema>>;
	readonly required?: readonly string[];
	readonly items?: TSchema;
	readonly maxItems?: number;
	readonly uniqueItems?: boolean;
	readonly anyOf?: readonly TSchema[];
}
