import type { FastifyBaseLogger } from 'fastify'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { aFunction, aRegExp, aText } from '../options/member-rules.ts'

/** The second argument of `file`. */
export interface FileCall {
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  log: FastifyBaseLogger
}

/** A kind of media whose files are on disk. `Params` are the params that `mediaUrl` accepts for it. */
export interface FileKind<Params = Record<string, string>> {
  /** Returns the path of the file, absolute or relative to `root`. `undefined` or `null` is a 404. */
  file (params: Params, call: FileCall): string | null | undefined | Promise<string | null | undefined>
  /** The folder that contains the files. Links are followed inside it only; every other path is a 404. */
  root: string
  /** See `MediaKind`. The type comes from the extension of the file, or else from the extension of the URL. */
  types?: RegExp | undefined
}

const rules: Record<keyof FileKind, MemberRule> = {
  file: aFunction,
  root: { ...aText, must: 'the path of a folder' },
  types: { ...aRegExp, optional: true }
}

export const isFileKind = (kind: object): kind is FileKind => 'file' in kind || 'root' in kind

/** @param name the name of the kind */
export const validateFileKind = (kind: FileKind, name: string): void => validateMembers(kind, rules, `kinds.${name}`)
