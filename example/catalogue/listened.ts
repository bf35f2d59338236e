/** A track with the number of its plays and the time of the last one in Unix milliseconds. */
export interface Heard { readonly id: string, readonly plays: number, readonly last: number }

/** Ids of favourites, the latest first, and the times in Unix milliseconds at which they became favourites. */
export interface FavoritesOfKind { readonly ids: readonly string[], readonly since: readonly number[] }

/** A track of a playlist. The title is for a track whose file is gone. */
export interface Entry { readonly id: string, readonly title: string }
