import { validateConnection, connectionOf } from '../client/internal.ts'
import type { SourceClient, SourceClientOptions } from '../client/index.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { hasMethods } from '../options/member-rules.ts'
import { callLists, callOperations } from './checks/call-operations.ts'
import { checkAccess } from './checks/check-access.ts'
import { checkBelonging } from './checks/check-belonging.ts'
import { checkCaching } from './checks/check-caching.ts'
import { checkContent } from './checks/check-content.ts'
import { checkLibrary } from './checks/check-library.ts'
import { checkMedia } from './checks/check-media.ts'
import { checkPaging } from './checks/check-paging.ts'
import { checkParameters } from './checks/check-parameters.ts'
import { checkStatus } from './checks/check-status.ts'
import { checkWrites } from './checks/check-writes.ts'
import { compareItems } from './checks/compare-items.ts'
import { LibraryQuestions } from './checks/library-questions.ts'
import { readLog } from './checks/read-log.ts'
import { createProbe } from './probe/create-probe.ts'
import type { OperationName } from './probe/findings.ts'
import { createInjectFetch, injectOrigin, type Injectable } from './probe/inject-fetch.ts'
import { checkedOperations, Inspection } from './probe/inspection.ts'
import { makeReport, type Report } from './report/make-report.ts'

interface CommonOptions {
  /** Tags (`track`, `search`) or operations (`getTrackUrl`) to check. Default: all. */
  only?: readonly string[] | undefined
  /** The search keyword if the source's lists are empty. Default: some words that most catalogues have. */
  keyword?: string | undefined
  /** If `true`, write operations are checked as well, and their changes are undone. Default: `false`. */
  write?: boolean | undefined
  /** The timeout of a request in milliseconds; 0 = no limit. Default: 10000. */
  timeout?: number | undefined
  /** The maximum number of concurrent requests. Default: 4, so that a small server is not overloaded. */
  concurrency?: number | undefined
  /**
   * The number of items of each kind requested by id, and of loaded URLs of audio and of each kind of picture. Default:
   * 3.
   */
  samples?: number | undefined
  /** Ends the check, which undoes its changes and then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called before each request. */
  onProgress?: ((operation: OperationName) => void) | undefined
}

/** The target of the check: a client of a running origin, or a Fastify instance, which is called without a socket. */
export type CheckOptions = CommonOptions & (
  | { client: SourceClient, app?: undefined }
  | { app: Injectable, client?: undefined, authorization?: string | undefined, prefix?: string | undefined }
)

/** Strings found in titles of many languages. */
const commonKeywords = ['love', 'a', 'e', 'o', '的', 'の']

/**
 * Calls a source origin as a client does, and checks every response against the contract (docs/reference/contract.md).
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION; UpstreamError or TimeoutError if the source cannot be reached;
 *   UnauthorizedError if it rejects the token; the reason of the signal, or an error with that cause which lists the
 *   changes that could not be undone
 */
export async function checkSource (options: CheckOptions): Promise<Report> {
  const { only = [], write = false, timeout = 10_000, concurrency = 4, samples = 3 } = options
  const { signal, keyword, onProgress = () => {} } = options
  for (const [name, count] of Object.entries({ concurrency, samples })) {
    if (!Number.isInteger(count) || count < 1) throw invalidOption(name, 'a whole number from 1')
  }
  if (keyword?.trim() === '') throw invalidOption('keyword', 'a text that is not blank')
  const known = new Set<string>(checkedOperations.flatMap(({ tag, name }) => [tag, name]))
  const unknown = only.find(name => !known.has(name))
  if (unknown !== undefined) {
    throw invalidOption('only', `a list of tags and operations: there is no tag or operation ${unknown}`)
  }
  const wanted = checkedOperations.filter(({ name, tag }) =>
    only.length === 0 || tag === 'status' || only.includes(tag) || only.includes(name))
  const names = new Set(wanted.map(({ name }) => name))

  const connection = validateConnection({ ...connectionFor(options), timeout, signal })
  const probe = createProbe(connection, options.app === undefined ? undefined : injectOrigin)
  const inspection = new Inspection(probe, concurrency, name => names.has(name), onProgress, samples)
  try {
    if (await checkStatus(inspection, probe)) {
      await checkAccess(inspection, probe.baseUrl)
      await callLists(inspection)
      const library = new LibraryQuestions(inspection, probe)
      await library.remember()
      await callOperations(inspection, keyword === undefined ? commonKeywords : [keyword])
      checkContent(inspection)
      compareItems(inspection)
      await checkBelonging(inspection)
      await checkPaging(inspection)
      await checkParameters(inspection)
      await checkCaching(inspection)
      await checkMedia(inspection)
      if (only.length === 0 && !inspection.gaveUp) await checkLibrary(library)
      if (write) await checkWrites(inspection)
      await readLog(inspection, probe)
    }
  } catch (error) {
    const { list } = inspection.findings
    const left = list.filter(({ rule }) => rule === 'write-not-undone').map(({ message }) => message)
    if (left.length === 0) throw error
    throw new Error(`The check ended early and could not undo its changes: ${left.join('; ')}`, { cause: error })
  }
  return makeReport(inspection, probe.baseUrl)
}

function connectionFor (options: CheckOptions): SourceClientOptions {
  if (options.app !== undefined) {
    const { app, authorization, prefix = '' } = options
    if (!hasMethods('inject')(app)) throw invalidOption('app', 'a Fastify instance')
    return { baseUrl: injectOrigin + prefix, authorization, fetch: createInjectFetch(app) }
  }
  const connection = connectionOf(options.client ?? {})
  if (connection === undefined) throw invalidOption('client', 'made by createSourceClient, or "app" a Fastify instance')
  return connection
}
