import type { FastifyRequest } from 'fastify'
import { isHttpUrl } from '../text/is-http-url.ts'
import { requestOrigin } from '../text/request-origin.ts'
import { urlExpiry } from '../text/url-expiry.ts'
import type { Parameters } from './parameters.ts'

/** Returns the URL below which an app has called `/rest`, without a trailing slash. */
export const serverUrl = (request: FastifyRequest, publicUrl: string | undefined): string =>
  publicUrl ?? requestOrigin(request) + request.routeOptions.url!.replace(/\/rest(?:\/\*?)?$/, '')

interface AppCall {
  readonly request: FastifyRequest
  readonly parameters: Parameters
  readonly options: { readonly publicUrl?: string | undefined }
}

/** The parameters of a call that log an app in by a digest. */
const ofLogin = ['u', 't', 's', 'c', 'v'] as const

/**
 * Returns a function that returns the URL of a picture which apps may store for years. A signed URL expires, so an app
 * that logs in by a digest gets one of `getCoverArt` with its own login instead. A password or key is never part of a
 * response. The function takes the picture's URL and the id of the cover.
 */
export function lastingPictures ({ request, parameters, options: { publicUrl } }: AppCall) {
  let covers: string | undefined
  return (url: string | undefined, id: string): string | undefined => {
    if (!isHttpUrl(url)) return undefined
    if (urlExpiry(url) === undefined || parameters.first('t') === undefined) return url
    if (covers === undefined) {
      const login = new URLSearchParams()
      for (const name of ofLogin) {
        const value = parameters.first(name)
        if (value !== undefined) login.set(name, value)
      }
      covers = `${serverUrl(request, publicUrl)}/rest/getCoverArt?${login}&id=`
    }
    return covers + encodeURIComponent(id)
  }
}
