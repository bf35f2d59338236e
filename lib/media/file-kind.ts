import type { FastifyBaseLogger } from 'fastify'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { aFunction, aRegExp, aText } from '../options/member-rules.ts'

/** What `file` gets besides the params. */
export interface FileCall {
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  log: FastifyBaseLogger
}

/** A kind of media whose files are on disk. `Params` are what `mediaUrl` is given for it. */
export interface FileKind<Params = Record<string, string>> {
  /** Names the file: its path, absolute or relative to `root`. `undefined` or `null` is a 404. */
  file (params: Params, call: FileCall): string | null | undefined | Promise<string | null | undefined>
  /** Folder that the files are in. Links are followed inside it only; whatever is elsewhere is a 404. */
  root: string
  /** As of `MediaKind`. The type is that of the file's extension, or else that of the URL. */
  types?: RegExp | undefined
}

const rules: Record<keyof FileKind, MemberRule> = {
  file: aFunction,
  root: { ...aText, must: 'the path of a folder' },
  types: { ...aRegExp, optional: true }
}

export const isFileKind = (kind: object): kind is FileKind => 'file' in kind || 'root' in kind

/** @param name of the kind */
export const validateFileKind = (kind: FileKind, name: string): void => validateMembers(kind, rules, `kinds.${name}`)
