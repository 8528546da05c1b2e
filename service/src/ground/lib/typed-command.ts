import path from "node:path";

/** Whoever called the command by its name can do so again; in the installation folder npm always can. */
const CALLED = path.basename(process.argv[1] ?? "") === "holdfast" ? "holdfast" : "npm run -s holdfast --";

/** How a command of Holdfast is typed, by the name with which this process was called. */
export const typedCommand = (command: string): string => `${CALLED} ${command}`;

/** The same inside a sentence. */
export const quotedCommand = (command: string): string => `\`${typedCommand(command)}\``;
