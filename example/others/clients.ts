import { createSourceClient } from 'fastify-source-origin/client'
import {
  createSubsonicClient, type SubsonicClient, type SubsonicClientOptions
} from 'fastify-source-origin/subsonic/client'

/** A login at a Subsonic server. */
export interface SubsonicLogin { readonly username: string, readonly password: string }

/** The timeout in milliseconds of each call of a friend's source. Requests that wait for it show its name. */
const timeout = 15_000

/** Creates a client of a Subsonic server for one login. By default it does not read the library of the server. */
export const subsonicClient = (
  url: string, login: string, library: SubsonicClientOptions['library'] = false
): SubsonicClient => createSubsonicClient({ url, ...JSON.parse(login) as SubsonicLogin, library })

/** Creates a client of another source for one of its tokens. */
export const sourceClient = (baseUrl: string, authorization: string) =>
  createSourceClient({ baseUrl, authorization, timeout })
