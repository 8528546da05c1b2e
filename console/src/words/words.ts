import { EN } from "./en/en.ts";

/** What the console says, in the reader's language. A further language is one more object of this type. */
type Words = typeof EN;

export const words: Words = EN;
