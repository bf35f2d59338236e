import t from 'tap'
import { checkCaching } from '../../lib/check/checks/check-caching.ts'
import { callLists, callOperations } from '../../lib/check/checks/call-operations.ts'
import { checkContent } from '../../lib/check/checks/check-content.ts'
import { checkMedia } from '../../lib/check/checks/check-media.ts'
import { checkStatus } from '../../lib/check/checks/check-status.ts'
import { checkWrites } from '../../lib/check/checks/check-writes.ts'
import { createProbe } from '../../lib/check/probe/create-probe.ts'
import type { OperationName } from '../../lib/check/probe/findings.ts'
import { Inspection } from '../../lib/check/probe/inspection.ts'
import { makeReport } from '../../lib/check/report/make-report.ts'
import { printReport } from '../../lib/check/report/print-report.ts'
import { junitReport } from '../../lib/check/report/junit-report.ts'
import { validateConnection } from '../../lib/client/connection.ts'
import { capabilities } from '../../lib/contract/capabilities.ts'
import { testLinear } from '../example/test-linear.ts'
import { dataOf } from '../helper.ts'

const status = {
  type: 'wow',
  version: '1',
  stateless: false,
  capabilities: [] as string[],
  qualityMap: [] as object[],
  playlistSortOptions: []
}
const envelope = (data: unknown) => JSON.stringify({ code: 200, data })
const json = { 'content-type': 'application/json; charset=utf-8' }
const inHeader = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
/** As many different texts as there are characters. */
const each = (text: string) => Array.from(text, (character, at) => character + at)

/** Checks a source that answers everything in the same way, and writes the reports. */
async function inspect (
  body: string, headers: Record<string, string>, check: (inspection: Inspection) => unknown,
  wants = (_name: OperationName) => true
): Promise<void> {
  const probe = createProbe(validateConnection({
    baseUrl: 'http://a.example', authorization: 'the token', fetch: async () => new Response(body, { headers })
  }))
  const inspection = new Inspection(probe, 1, wants, () => {}, 3)
  try {
    await checkStatus(inspection, probe)
    await check(inspection)
  } finally {
    const report = makeReport(inspection, probe.baseUrl)
    printReport(report, false)
    junitReport(report)
  }
}

/** An answer with a list that the source gave to a search. */
const seen = (items: object[], check: (inspection: Inspection) => unknown) => inspect(envelope({
  ...status, qualityMap: items
}), json, inspection => {
  inspection.seen.push({
    operation: 'searchTracks', request: 'GET /', data: { items, offset: 0, limit: 100, hasMore: false }
  })
  for (const item of items as any[]) inspection.pool.track.set(item.id, item)
  inspection.good.set('userFavoriteTracks', {})
  return check(inspection)
})
const track = dataOf('getTrackDetail')
const trackOf = (name: string) => ({
  ...track,
  id: name,
  title: name,
  key: name,
  qualities: [{ key: name }],
  album: { ...track.album, id: name, coverUrl: `http://a.example/${name}` }
})
/** A list of favourites, which the source answers to everything. */
const favorites = (items: object[]) => inspect(envelope(items), json, inspection => {
  inspection.status = status as any
  inspection.good.set('userFavoriteTracks', {})
  for (const { id } of items as { id: string }[]) inspection.pool.track.set(id, { ...track, id })
  return checkWrites(inspection)
}, name => name === 'favoriteTrack')

testLinear(t, {
  'an answer to the check': text => inspect(text, json, () => {}),
  'a list where the check wants something else': text =>
    inspect(envelope([...text]), json, async inspection => {
      await callLists(inspection)
      await callOperations(inspection, ['a'])
    }),
  'the members of an answer to the check': text =>
    inspect(JSON.stringify(Object.fromEntries(each(text).map(name => [name, name]))), json, () => {}),
  'the type of an answer to the check': text => inspect(envelope(status), { 'content-type': inHeader(text) }, () => {}),
  'the caching headers of an answer to the check': text =>
    inspect(
      envelope(status), { ...json, 'cache-control': inHeader(text), vary: inHeader(text), etag: inHeader(text) },
      checkCaching
    ),
  'the capabilities of a source': text => inspect(envelope({ ...status, capabilities: each(text) }), json, () => {}),
  'capabilities that are repeated': text =>
    inspect(
      envelope({ ...status, capabilities: [...each(text), ...each(text).map((_, at) => capabilities[at % 20]!.name)] }),
      json, () => {}
    ),
  'the qualities of a source': text => seen(each(text).map(trackOf), checkContent),
  'the pictures of a source': text => seen(each(text).map(trackOf), checkMedia),
  'the audio of a source': text => inspect(envelope(status), json, inspection => {
    for (const url of each(text)) inspection.seen.push({ operation: 'getTrackUrl', request: 'GET /', data: { url } })
    return checkMedia(inspection)
  }),
  'the favourites of an account': text => favorites(each(text).map(id => ({ id, name: id })))
}, { random: 3, length: 1000 })
