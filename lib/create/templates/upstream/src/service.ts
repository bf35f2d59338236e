import { NotFoundError } from 'fastify-source-origin'
import type { MediaKind } from 'fastify-source-origin/media'
import { path, type AccountUpstream, type LoginCall } from 'fastify-source-origin/upstream'

// Responses of the service.
export interface Song { id: number, title: string, seconds: number, artist: Artist, album: Pick<Album, 'id' | 'title'> }
export interface Artist { id: number, name: string }
export interface Album { id: number, title: string, artist: Artist, released: string }
export interface SongPage { songs: Song[], next?: string }
export interface Session { token: string }
/** The parameters of media URLs. */
export interface Media { audio: { account: string, id: string } }

/** Passwords of the service are settings, or in a secret store of yours: nothing of the source keeps them. */
const passwordOf = (account: string) => process.env[`PASSWORD_OF_${account.toUpperCase()}`] ?? `password of ${account}`

/** How an account logs in, and which headers its calls have then. */
export const logins = {
  login: ({ account, upstream }: LoginCall<Session>) =>
    upstream.json<Session>('/login', { json: { user: account, password: passwordOf(account) } }),
  headers: ({ token }: Session) => ({ authorization: `Bearer ${token}` })
}

/** The path of an item. Ids come from clients. Ids of the service are numbers. */
export function pathOf (kind: 'songs' | 'albums' | 'artists' | 'favorites', id: string): string {
  if (!/^\d+$/.test(id)) throw new NotFoundError('Item not found')
  return path`/${kind}/${id}`
}

/** Where the audio of a song is: its URL is valid for a minute only. */
export const audioOf = (service: AccountUpstream, serviceUrl: string): MediaKind<Media['audio']> => ({
  hosts: [new URL(serviceUrl).host],
  // The demo service is on this machine.
  allowPrivate: true,
  resolve: ({ account, id }, { signal, log }) =>
    service.for({ account, signal, log }).json(`${pathOf('songs', id)}/url`)
})
