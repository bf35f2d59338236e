/** Header of a request: the ids of the sources that it comes through, with commas between them. */
export const pathHeader = 'source-path'
