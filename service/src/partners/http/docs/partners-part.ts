/** The part of a document, or of each release, that is for operators, up to the next release or the end of the text. */
const FOR_OPERATORS = /^## For operators\n[\s\S]*?(?=^## |(?![\s\S]))/gm;

/** What partners see of a document: of the changelog, their part of every release. */
export const partnersPartOf = (document: string): string => document.replaceAll(FOR_OPERATORS, "");
