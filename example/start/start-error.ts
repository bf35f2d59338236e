/** Something that whoever starts the source has to put right: its message is all that they need to read. */
export class StartError extends Error {}
