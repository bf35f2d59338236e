/** The account of `SOURCE_API_TOKEN`. */
export const owner = 'owner'
