/** A track with its number of plays and the time of the last one in Unix milliseconds. */
export interface Heard { readonly id: string, readonly plays: number, readonly last: number }

/** Ids of favourites, latest first, and the times in Unix milliseconds when they became favourites. */
export interface FavoritesOfKind { readonly ids: readonly string[], readonly since: readonly number[] }

/** A track of a playlist. The title is used if the file was deleted. */
export interface Entry { readonly id: string, readonly title: string }
