/** Something the operator can mend: the message says what is wrong and what to do, and is shown without a stack. */
export class OperatorError extends Error {}
