import { operations, type Operation } from '../../contract/operations.ts'
import { resolveSchema, schemasOf } from '../../contract/schemas-of.ts'
import { callOperation, foreign, idsIn, sendable, unknownId, type Called } from '../probe/call-operation.ts'
import { kindOf, type Pool } from '../probe/create-pool.ts'
import type { Inspection } from '../probe/inspection.ts'

/** Tags in order: playlists lead to tracks, artists and albums, and these to more tracks. */
const waves = [['playlist', 'toplist'], ['artist', 'album'], ['track']]

const requires = (name: string) => ({ adapterMethod }: Operation) =>
  schemasOf(adapterMethod).parameters.required!.includes(name)
const reading = operations.filter(({ method }) => method === 'GET')
const searches = reading.filter(requires('keyword'))
const lookups = reading.filter(requires('id'))
const lists = reading.filter(operation => !searches.includes(operation) && !lookups.includes(operation))

/** Calls all lists. They are called even if the report does not include them, since they provide ids. */
export async function callLists (inspection: Inspection): Promise<void> {
  await callAll(inspection, lists.map(operation => ({ operation, parameters: {} })))
}

/**
 * Calls the other read operations as a client does: first searches for names in the lists, then lookups of ids from
 * both. Searches are called even if the report does not include them, since they provide ids.
 *
 * @param keywords the search keywords if the lists are empty, tried in order until one finds something
 */
export async function callOperations (inspection: Inspection, keywords: readonly string[]): Promise<void> {
  for (const keyword of keywords) {
    if (Object.values(inspection.pool).some(({ size }) => size > 0)) break
    const served = searches.filter(({ adapterMethod }) => inspection.served.get(adapterMethod) !== 'not offered')
    await callAll(inspection, served.map(operation => ({ operation, parameters: { keyword } })))
  }
  const known = searches.map(operation => ({ operation, keyword: keywordFor(operation, inspection.pool) }))
  const calls = known.map(({ operation, keyword = keywords[0] }) => ({ operation, parameters: { keyword } }))
  const found = await callAll(inspection, calls)
  for (const [index, { keyword }] of known.entries()) {
    const outcome = found[index]!
    if (outcome.data === undefined || keyword === undefined) continue
    if (idsOf(outcome.data) === '') inspection.find('search-misses', outcome, 'nothing was found')
  }
  await Promise.all(known.map(async ({ operation }, index) => {
    const ids = idsOf(found[index]!.data)
    if (ids === '' || !inspection.wants(operation.adapterMethod)) return
    const other = await callOperation(inspection, operation, { keyword: foreign }, [404])
    if (idsOf(other.data) === ids) inspection.find('keyword-ignored', other, 'found what an earlier search has found')
    // A search that is written into SQL, or into a regular expression, fails.
    await callOperation(inspection, operation, { keyword: specialCharacters }, [400, 404])
    const { keyword } = calls[index]!.parameters
    const again = await callOperation(inspection, operation, { keyword: otherCase(keyword!) }, [404])
    if (again.data !== undefined && idsOf(again.data) === '') {
      inspection.find('search-case', again, `nothing was found, and something for ${keyword}`)
    }
  }))
  for (const wave of waves) {
    const operations = lookups.filter(({ tag, adapterMethod }) => wave.includes(tag) && inspection.wants(adapterMethod))
    const outcomes = await Promise.all(operations.map(operation => lookUp(inspection, operation)))
    for (const [index, operation] of operations.entries()) inspection.remember(operation, outcomes[index]!.data)
  }
}

interface Call { operation: Operation, parameters: Record<string, unknown> }

/**
 * Calls operations concurrently. Stores their items in the order of the calls, so that every check sends the same
 * requests.
 */
async function callAll (inspection: Inspection, calls: readonly Call[]): Promise<Called[]> {
  const outcomes = await Promise.all(calls.map(({ operation, parameters }) =>
    callOperation(inspection, operation, parameters)))
  for (const [index, { operation, parameters }] of calls.entries()) {
    const { data } = outcomes[index]!
    if (data === undefined) continue
    inspection.good.set(operation.adapterMethod, parameters)
    inspection.remember(operation, data)
  }
  return outcomes
}

/** Characters that have a meaning in SQL, in regular expressions and in URLs. */
const specialCharacters = '"\'%_*+?([{\\&/#'

/** Returns the letters from A to Z in the other case. Other letters may have several. */
const otherCase = (text: string) =>
  text.replace(/[a-z]/gi, letter => letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())

/** Returns the ids in all lists of a response. */
const idsOf = (data: unknown) => Object.values(data ?? {}).flatMap(idsIn).join(', ')

/** Returns the longest word in the name of a known item: a complete name seldom fills two pages. */
function keywordFor ({ adapterMethod }: Operation, pool: Pool): string | undefined {
  const items = pool[kindOf(schemasOf(adapterMethod).data)].values()
  for (const item of items as Iterable<{ title?: unknown, name?: unknown }>) {
    const name = item.title ?? item.name
    const words = typeof name === 'string' ? name.match(/\S+/g) : null
    if (words !== null) return sendable(words.reduce((longest, word) => word.length > longest.length ? word : longest))
  }
  return undefined
}

/** Returns whether an id arrives unchanged: origins remove white space around it. */
const isTrimmed = (id: string) => id === id.trim()

/** Returns ids that can be requested: ids in tracks first, since a client follows them. */
function idsFor ({ tag }: Operation, { track, ...pool }: Pool): string[] {
  if (tag === 'track') return [...track.keys()].filter(isTrimmed)
  const tracks = [...track.values()]
  const artists = tag === 'artist' ? tracks.flatMap(({ artists }) => artists) : []
  const led = tag === 'album' ? tracks.map(({ album }) => album) : artists
  const ledTo = led.map(item => item?.id).filter(id => typeof id === 'string' && id !== '')
  return [...new Set([...ledTo, ...pool[tag as 'album'].keys()])].filter(isTrimmed)
}

/** Returns the first ids and the last one, which comes from the library of a source. */
const sampleOf = (ids: readonly string[], count: number): string[] =>
  [...new Set([...ids.slice(0, Math.max(1, count - 1)), ...ids.slice(-1)])].slice(0, count)

/** Requests some ids from earlier responses. @returns the last outcome with data */
async function lookUp (inspection: Inspection, operation: Operation): Promise<Called> {
  const { adapterMethod: name, tag } = operation
  const known = idsFor(operation, inspection.pool)
  const ids = sampleOf(known, inspection.samples).map(sendable)
  const isDetail = 'id' in (resolveSchema(schemasOf(name).data).properties ?? {})
  // A track may lack lyrics, or be unplayable.
  const isOptional = tag === 'track' && !isDetail
  const tolerated = isOptional ? [404, 422] : [404]
  const where = { operation: name, request: `${operation.method} ${operation.path}` }
  let last: Called = { ...where, status: 0 }
  const unresolved: Called[] = []

  for (const id of ids) {
    const outcome = await callOperation(inspection, operation, { id }, tolerated)
    const { status, data } = outcome
    if (status === 501) return last
    inspection.sampled[tag] = { asked: ids.length, known: known.length }
    if (tolerated.includes(status)) unresolved.push(outcome)
    if (data === undefined) continue
    if (!inspection.good.has(name)) inspection.good.set(name, { id })
    last = outcome
    // Details and audio are requested for each sample, since each audio may be another file or stream. For other
    // operations one success is enough.
    if (!isDetail && name !== 'getTrackUrl') return last
    const { id: given } = data as { id?: unknown }
    const isOther = typeof given === 'string' && given !== '' && given !== id
    if (isOther) inspection.find('detail-other-id', outcome, `answered with the item ${given}`)
  }
  if (ids.length === 0) {
    const { status } = await callOperation(inspection, operation, { id: unknownId }, tolerated)
    const isMissing = status === 0 || inspection.served.get(name) === 'not offered'
    if (!isMissing) inspection.find('nothing-found', where, `no earlier answer has a ${tag} id`)
  } else if (inspection.served.get(name) !== 'not offered') {
    if (isOptional && unresolved.length === ids.length) {
      inspection.find('nothing-found', where, `none of ${ids.length} tracks has it`)
    }
    for (const outcome of isOptional ? [] : unresolved) {
      inspection.find('id-unresolved', outcome, `answered 404 for a ${tag} id of an earlier answer`)
    }
  }
  return last
}
