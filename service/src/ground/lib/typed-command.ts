/** How a command of Holdfast is typed in its installation folder. */
export const typedCommand = (command: string): string => `npm run -s holdfast -- ${command}`;

/** The same inside a sentence. */
export const quotedCommand = (command: string): string => `\`${typedCommand(command)}\``;
