import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import type { AccountStore, BindingRecord, SessionRecord, TokenRecord } from './account-store.ts'
import { keyOf, storeIn } from './memory-account-store.ts'

/** The content of the file. Bytes are base64 strings. */
interface Kept {
  readonly tokens: readonly (Omit<TokenRecord, 'hash' | 'sealed'> & { hash: string, sealed?: string })[]
  readonly sessions: readonly (Omit<SessionRecord, 'data'> & { account: string, data: string })[]
  /** Absent in a file of an older version. */
  readonly bindings?: readonly (Omit<BindingRecord, 'encrypted'> & { sealed?: string })[]
}

/**
 * Creates a store in a JSON file, for the one process of a development server or of a small source. Its sessions
 * survive a restart. The file is read at the first use of the store and rewritten at each change, readable for this
 * user only. A missing folder is created.
 *
 * @throws in its methods the error of the file system, and SyntaxError for a file that is not JSON
 */
export function fileAccountStore (file: string): AccountStore {
  const tokens = new Map<string, TokenRecord>()
  const sessions = new Map<string, SessionRecord>()
  const bindings = new Map<string, BindingRecord>()
  const memory = storeIn(tokens, sessions, bindings)
  const oneAtATime = limitConcurrency({ inAll: 1 })
  let reading: Promise<void> | undefined
  let stored = '{"tokens":[],"sessions":[]}'

  function take (text: string): void {
    const kept = JSON.parse(text) as Kept
    tokens.clear()
    sessions.clear()
    bindings.clear()
    for (const { hash, sealed, ...rest } of kept.tokens) {
      tokens.set(rest.id, { ...rest, hash: bytesOf(hash), ...sealed !== undefined && { encrypted: bytesOf(sealed) } })
    }
    for (const { account, data, version } of kept.sessions) sessions.set(account, { data: bytesOf(data), version })
    for (const { sealed, ...rest } of kept.bindings ?? []) {
      bindings.set(keyOf(rest), { ...rest, ...sealed !== undefined && { encrypted: bytesOf(sealed) } })
    }
    stored = text
  }
  async function read (): Promise<void> {
    try {
      take(await readFile(file, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      // The next call reads the file again, because it may have been repaired.
      reading = undefined
      throw error
    }
  }
  function opened (): Promise<void> {
    reading ??= read()
    return reading
  }

  async function write (): Promise<void> {
    const kept: Kept = {
      tokens: [...tokens.values()].map(({ hash, encrypted, ...rest }) =>
        ({ ...rest, hash: textOf(hash), ...encrypted !== undefined && { sealed: textOf(encrypted) } })),
      sessions: [...sessions].map(([account, { data, version }]) => ({ account, data: textOf(data), version })),
      ...bindings.size > 0 && {
        bindings: [...bindings.values()].map(({ encrypted, ...rest }) =>
          ({ ...rest, ...encrypted !== undefined && { sealed: textOf(encrypted) } }))
      }
    }
    const text = JSON.stringify(kept)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(`${file}.new`, text, { mode: 0o600, flush: true })
    await rename(`${file}.new`, file)
    stored = text
  }
  const change = <T>(run: () => Promise<T>): Promise<T> => oneAtATime(async () => {
    await opened()
    const result = await run()
    try {
      await write()
    } catch (error) {
      // A rejected change must leave the store unchanged.
      take(stored)
      throw error
    }
    return result
  })
  const ask = async <T>(run: () => Promise<T>): Promise<T> => {
    await opened()
    return run()
  }

  return {
    findToken: id => ask(() => memory.findToken(id)),
    listTokens: account => ask(() => memory.listTokens(account)),
    loadSession: account => ask(() => memory.loadSession(account)),
    saveToken: record => change(() => memory.saveToken(record)),
    replaceToken: record => change(() => memory.replaceToken(record)),
    removeToken: id => change(() => memory.removeToken(id)),
    removeAccount: account => change(() => memory.removeAccount(account)),
    findBindings: of => ask(() => memory.findBindings(of)),
    saveBinding: (identity, binding, version) => change(() => memory.saveBinding(identity, binding, version)),
    saveSession: (account, data, version) => change(() => memory.saveSession(account, data, version)),
    withLock (name, run) { return memory.withLock(name, () => run(this)) }
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
