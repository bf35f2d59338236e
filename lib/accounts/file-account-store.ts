import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import type { AccountStore, SessionRecord, TokenRecord } from './account-store.ts'
import { storeIn } from './memory-account-store.ts'

/** Bytes are text in base64. */
interface Kept {
  readonly tokens: readonly (Omit<TokenRecord, 'hash' | 'sealed'> & { hash: string, sealed?: string })[]
  readonly sessions: readonly (Omit<SessionRecord, 'data'> & { account: string, data: string })[]
}

/**
 * A store in a JSON file, for the one process of a development server or of a small source: its sessions are there
 * after a restart. The file is read when the store is first used, and written anew with each change, readable for this
 * user alone. Its folder is made where it is missing.
 *
 * @throws in its methods what the file system throws, and SyntaxError for a file that is not of such a store
 */
export function fileAccountStore (file: string): AccountStore {
  const tokens = new Map<string, TokenRecord>()
  const sessions = new Map<string, SessionRecord>()
  const memory = storeIn(tokens, sessions)
  const oneAtATime = limitConcurrency({ inAll: 1 })
  let reading: Promise<void> | undefined
  let stored = '{"tokens":[],"sessions":[]}'

  function take (text: string): void {
    const kept = JSON.parse(text) as Kept
    tokens.clear()
    sessions.clear()
    for (const { hash, sealed, ...rest } of kept.tokens) {
      tokens.set(rest.id, { ...rest, hash: bytesOf(hash), ...sealed !== undefined && { sealed: bytesOf(sealed) } })
    }
    for (const { account, data, version } of kept.sessions) sessions.set(account, { data: bytesOf(data), version })
    stored = text
  }
  async function read (): Promise<void> {
    try {
      take(await readFile(file, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      // It is read again: it may be mended meanwhile.
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
      tokens: [...tokens.values()].map(({ hash, sealed, ...rest }) =>
        ({ ...rest, hash: textOf(hash), ...sealed !== undefined && { sealed: textOf(sealed) } })),
      sessions: [...sessions].map(([account, { data, version }]) => ({ account, data: textOf(data), version }))
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
      // Nothing has changed when a change is rejected.
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
    saveSession: (account, data, version) => change(() => memory.saveSession(account, data, version)),
    withLock (name, run) { return memory.withLock(name, () => run(this)) }
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
