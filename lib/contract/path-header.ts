/** The request header that contains the ids of the sources on the path of the request, comma-separated. */
export const pathHeader = 'source-path'
