import type { OperationName } from 'fastify-source-origin/check'
import { failure, pathOf, right, spoil, type FaultRow } from './inject-faults.ts'
import type { Asked, Given, InjectFault } from './faulty-origin.ts'

/** Puts headers into every success of an operation; an empty value removes the header. */
const withHeaders = (operation: OperationName, headers: Record<string, string>): InjectFault =>
  spoil(operation, given => {
    const all = { ...given.headers, ...headers }
    return { ...given, headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')) }
  })

/** Answers with an ETag, and as `answer` says when the request has an If-None-Match. */
const withTag = (operation: OperationName, answer: (match: string, given: Given) => Given | void): InjectFault =>
  spoil(operation, (given, { headers }) => {
    const match = headers['if-none-match']
    const tagged = { ...given, headers: { ...given.headers, etag: '"one"' } }
    return match === undefined ? tagged : answer(match, tagged) ?? tagged
  })

const notModified = (etag: string): Given => ({ status: 304, headers: { etag }, body: '' })
const head = (operation: OperationName, given: Given): InjectFault => async (asked, sound) =>
  asked.method === 'HEAD' && asked.path === pathOf(operation) ? given : sound()

const refusedBody = (when: (asked: Asked) => boolean): InjectFault =>
  spoil('favoritePlaylist', (_given, asked) => when(asked) ? failure(400) : undefined)

/** Faults in what HTTP says about an answer: caching, HEAD, ranges and bodies that are refused. */
export const httpFaults: readonly FaultRow[] = [
  ['cache-missing', 'status', 'no Cache-Control', withHeaders('status', { 'cache-control': '' })],
  ['cache-missing', 'getNewTracks', 'an age for everybody',
    withHeaders('getNewTracks', { 'cache-control': 'max-age=60', vary: 'Authorization' })],
  ['cache-shared', 'getNewTracks', 'public',
    withHeaders('getNewTracks', { 'cache-control': 'max-age=60, Public', vary: '*' })],
  ['cache-shared', 'getNewTracks', 's-maxage',
    withHeaders('getNewTracks', { 'cache-control': 's-maxage=60', vary: 'accept, authorization' })],
  ['cache-vary', 'getNewTracks', 'private without Vary',
    withHeaders('getNewTracks', { 'cache-control': 'private, max-age=60', vary: 'accept' })],
  ['etag-ignored', 'getNewTracks', 'always 200', withTag('getNewTracks', () => {})],
  ['etag-wrong', 'getNewTracks', 'always 304', withTag('getNewTracks', match => notModified(match))],
  ['etag-wrong', 'getNewTracks', '304 with another ETag',
    withTag('getNewTracks', match => match === '"one"' ? notModified('"two"') : undefined)],
  ['head-differs', 'status', '405', head('status', failure(405))],
  ['head-differs', 'getNewTracks', 'another content type',
    head('getNewTracks', { status: 200, headers: { 'content-type': 'text/html' }, body: '' })],
  ['audio-range', 'getTrackUrl', '206 for a range behind the end', async (asked, sound) => {
    const given = await sound()
    return asked.path.startsWith('/audio/') && given.status === 416 ? { ...given, status: 206, body: 'RIFF' } : given
  }],
  ['body-not-json', 'favoritePlaylist', '400 for text',
    refusedBody(({ headers }) => headers['content-type'] === 'text/plain')],
  ['body-too-large', 'favoritePlaylist', '400 for two megabytes',
    refusedBody(({ body }) => body?.unknownMember?.length > 1_000_000)],
  ['no-answer', 'getNewTracks', 'HEAD breaks the connection', async (asked, sound) =>
    right(asked) && asked.method === 'HEAD' && asked.path === pathOf('getNewTracks') ? 'break' : sound()]
]
