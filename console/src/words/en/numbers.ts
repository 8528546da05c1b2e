/* Words that depend on a number. */

export const units = (n: number): string => (n === 1 ? "1 unit" : `${n} units`);
export const lots = (n: number): string => (n === 1 ? "1 lot" : `${n} lots`);
export const is = (n: number): string => (n === 1 ? "is" : "are");
export const was = (n: number): string => (n === 1 ? "was" : "were");
export const kits = (n: number): string => (n === 1 ? "1 kit" : `${n} kits`);
