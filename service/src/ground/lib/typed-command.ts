/** How a command of Holdfast is typed in the folder it is installed in. */
export const typedCommand = (command: string): string => `npm run -s holdfast -- ${command}`;

/** The same inside a sentence. */
export const quotedCommand = (command: string): string => `\`${typedCommand(command)}\``;
