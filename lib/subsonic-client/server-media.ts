import type { FastifyBaseLogger } from 'fastify'
import { NotFoundError } from '../contract/errors.ts'
import type { MediaKind } from '../media/index.ts'
import type { Query } from './server-login.ts'

const audioTypes = /^(audio\/.+|video\/mp4|application\/ogg|application\/octet-stream)$/

/** The URL of a method that answers with bytes, with the login in it. */
export type Locate =
  (method: string, query: Query, log?: Pick<FastifyBaseLogger, 'debug' | 'warn'>) => Promise<{ url: string }>

/**
 * Audio and covers of a server as the media proxy takes them.
 *
 * @param host of the server, with its port: media come from there only
 */
export function mediaKindsOf (host: string, locate: Locate): Readonly<Record<'audio' | 'cover', MediaKind>> {
  // The operator named this address, so that it may be a private one.
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

/** Servers answer errors of media with status 200, and an envelope in XML or JSON. */
const readError = (body: string) =>
  /<error\s[^<>]*\bcode=["']70["']|"code"\s*:\s*70\b/.test(body) ? new NotFoundError() : undefined

/** Asks for a song in a low quality. A server that has nothing to convert with sends the file. */
export async function convertsToMp3 (id: string, locate: Locate): Promise<boolean> {
  try {
    const { url } = await locate('stream', { id, maxBitRate: 128, format: 'mp3' })
    // The beginning tells, and what is converted may come slowly: the rest is not waited for.
    const { headers, body } = await fetch(url, {
      headers: { range: 'bytes=0-1023' }, signal: AbortSignal.timeout(3000)
    })
    await body?.cancel()
    return /^audio\/(mpeg|mp3)\b/.test(String(headers.get('content-type')))
  } catch {
    return false
  }
}
