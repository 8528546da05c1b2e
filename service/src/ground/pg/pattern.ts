/** A part of a text, whatever letters it has, as a pattern of `ilike`. */
export const contains = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
