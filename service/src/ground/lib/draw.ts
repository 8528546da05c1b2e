/** A random number, 0 inclusive to 1 exclusive; for spreading work over time, never for a secret. */
export const draw = (): number => Math.random();
