declare const unknownWord: unique symbol;

/**
 * A word that the service has and this version of the SDK does not know. It is a string, but no literal equals it: a
 * misspelt one does not compile, and a `switch` needs a `default`. (A literal compares with `string & Brand`.)
 */
export type UnknownWord = `unknown ${string}` & { readonly [unknownWord]: true };

/** An instant in a request: a Date, or RFC 3339. */
export type GivenTime = Date | string;
