/** An error that the operator has to fix before the source can start. It is printed without a stack trace. */
export class StartError extends Error {}
