/** The pattern of `ilike` for texts that contain `text`, whatever characters it has. */
export const contains = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
