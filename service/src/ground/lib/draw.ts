/** A random number from 0 to below 1, for spreading work over time; never for a secret. */
export const draw = (): number => Math.random();
