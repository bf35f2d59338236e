import type { FastifyBaseLogger } from 'fastify'
import { NotFoundError } from '../contract/errors.ts'
import type { MediaKind } from '../media/index.ts'
import type { Query } from './server-login.ts'

const audioTypes = /^(audio\/.+|video\/mp4|application\/ogg|application\/octet-stream)$/

/** Returns the URL of a method that responds with bytes. The URL contains the login. */
export type Locate =
  (method: string, query: Query, log?: Pick<FastifyBaseLogger, 'debug' | 'warn'>) => Promise<{ url: string }>

/**
 * Returns the media kinds of a server for the media proxy.
 *
 * @param host of the server, with its port; media are loaded from this host only
 */
export function mediaKindsOf (host: string, locate: Locate): Readonly<Record<'audio' | 'cover', MediaKind>> {
  // The operator configured this address, so it may be private.
  const kind = { hosts: [host], allowPrivate: true, readError }
  return {
    audio: {
      ...kind,
      types: audioTypes,
      resolve: ({ id = '', limit, format = 'raw' }, { log }) =>
        locate('stream', { id, maxBitRate: limit, format }, log)
    },
    cover: { ...kind, resolve: ({ id = '', size }, { log }) => locate('getCoverArt', { id, size }, log) }
  }
}

/** Servers respond to failed media requests with status 200 and an envelope in XML or JSON. */
const readError = (body: string) =>
  /<error\s[^<>]*\bcode=["']70["']|"code"\s*:\s*70\b/.test(body) ? new NotFoundError() : undefined

/** Requests a song in a low quality. A server without a converter sends the original file. */
export async function convertsToMp3 (id: string, locate: Locate): Promise<boolean> {
  try {
    const { url } = await locate('stream', { id, maxBitRate: 128, format: 'mp3' })
    // The beginning is enough, and converted audio may arrive slowly, so the rest is not read.
    const { headers, body } = await fetch(url, {
      headers: { range: 'bytes=0-1023' }, signal: AbortSignal.timeout(3000)
    })
    await body?.cancel()
    return /^audio\/(mpeg|mp3)\b/.test(String(headers.get('content-type')))
  } catch {
    return false
  }
}
