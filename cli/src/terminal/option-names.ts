/** Options whose names are not simply those of the API's fields. */
const OPTION_OF: { readonly [field: string]: string } = {
	batch_number: "--batch",
	brand_code: "--brand",
	customer_email: "--email",
	expires_on: "--expires",
	received_on: "--received",
	tracking_number: "--tracking",
};

/** A field of the API in a message: the pointer at its beginning, a name in backticks, or one of several words. */
const FIELD = /^\/([a-z_]+)(?=:)|`([a-z_]+)`|(?<![\w"'`./-])([a-z]+(?:_[a-z]+)+)(?![\w"'`/-]|\.\w)/g;

/**
 * A message of the service in the words of a command: fields of the API are called by the options that set them, as far
 * as the command has them (`options`: `--new-batch`), and `fg_id` is the id of a lot.
 */
export function inOptionNames(message: string, options: ReadonlySet<string>): string {
	return message.replace(FIELD, (whole, pointer?: string, quoted?: string, word?: string) => {
		const field = pointer ?? quoted ?? word ?? "";
		const option = OPTION_OF[field] ?? `--${field.replaceAll("_", "-")}`;
		if (options.has(option)) return option;
		return field === "fg_id" ? "id" : whole;
	});
}
