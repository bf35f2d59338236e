import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { Id, parameters } from '../../schemas/common.ts'
import { mostEntries } from '../queue/internal.ts'
import { downloadKinds } from '../media/internal.ts'

const oneOf = <const T extends string>(values: readonly T[], options = {}) =>
  Type.Unsafe<T>(Type.Union(values.map(value => Type.Literal(value)), options))
const order = oneOf(['asc', 'desc'])
const share = oneOf(['no', 'hear', 'edit'], { description: 'one of no, hear, edit' })
const ShareOf = Type.Object({ name: Type.String(), may: share })
const ids = (most?: number) => Type.Array(Id('item'), {
  description: most === undefined ? 'a list of ids' : `1 to ${most} ids`,
  ...most !== undefined && { minItems: 1, maxItems: most }
})
const milliseconds = Type.Number({
  minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'a time in milliseconds'
})
const Since = Type.Integer({
  minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'a time in milliseconds'
})
const Count = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'a number from 0' })
const Rating = Type.Number({ minimum: 0, maximum: 5, multipleOf: 1, description: 'an integer from 0 to 5' })
const Offset = Type.Integer({ minimum: 0, maximum: 1e9, default: 0 })

/** The final summary of a play by the page. */
const ToldPlay = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  track: Id('track'),
  length: milliseconds,
  startedAt: milliseconds,
  position: milliseconds,
  played: milliseconds,
  state: oneOf(['starting', 'playing', 'paused', 'stopped'])
})

const none = parameters({})

const idOf = (of: string) => Type.String({ minLength: 1, maxLength: 64, description: `the id of ${of}` })
const Entry = Type.Unsafe<readonly [id: string, track: string]>(Type.Array(Type.String({ maxLength: 2048 }), {
  minItems: 2, maxItems: 2, description: 'the ids of an entry and of its track'
}))
const PutEntry = Type.Unsafe<readonly [id: string, track?: string]>(Type.Array(Type.String({ maxLength: 2048 }), {
  minItems: 1, maxItems: 2, description: 'the ids of an entry and, if it is new, of its track'
}))
const listOf = <T extends TSchema>(entry: T) =>
  Type.Array(entry, { maxItems: mostEntries, description: `a list of at most ${mostEntries} entries` })
const Entries = listOf(idOf('an entry'))
/** Describes for the page what follows the entries. */
const Rest = Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}, { description: 'an object' }))

/** An operation on the queue of the account. */
const QueueOperation = Type.Object({
  id: idOf('an operation'),
  list: Type.Optional(idOf('a list')),
  edit: Type.Optional(Type.Object({
    remove: Type.Optional(Entries),
    put: Type.Optional(listOf(Type.Object({
      behind: Type.Optional(idOf('an entry')), entries: listOf(PutEntry)
    }))),
    order: Type.Optional(Entries),
    rest: Type.Optional(Rest)
  }, { description: 'an edit' })),
  fill: Type.Optional(Type.Object({
    entries: listOf(Entry),
    current: Type.Optional(idOf('an entry')),
    order: Type.Optional(Entries),
    rest: Type.Optional(Rest)
  }, { description: 'a list' }))
})

const Limits = Type.Array(Type.Object({
  setting: oneOf(['genres', 'folders', 'explicit', 'bitrate', 'download', 'delete', 'share']),
  values: Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 1000 })
}), { maxItems: 7, description: 'a list of at most 7 settings with their values' })

/** The operations on an account or the server, for the account that manages the others. */
export const householdOperations = [
  'app-password', 'connect', 'disconnect', 'share', 'rotate', 'export', 'import', 'backup', 'restore', 'forget-missing'
] as const

/**
 * The parameters of the page's routes below `page/`, in the query or the body. The routes serve features that `/v1`
 * lacks.
 */
export const ownParameters = {
  'GET offers': none,
  'GET browse': parameters({
    kind: oneOf(['albums', 'artists'], { default: 'albums' }),
    /** Blank: the source's own order, in either direction. */
    sort: Type.String({ default: '' }),
    order: Type.Optional(order),
    letter: Type.Optional(Type.String()),
    year: Type.Optional(Type.Integer({ minimum: 0, maximum: 9999 })),
    genre: Type.Optional(Type.String()),
    offset: Offset,
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 100 }),
    /** If 0, the response omits the letters, years and genres to filter by. */
    facets: Type.Integer({ minimum: 0, maximum: 1, default: 1 })
  }),
  'GET composers': none,
  /** With `id` the items with these ids; with a `limit` of 0 only the revision. */
  'GET library': parameters({
    kind: oneOf(['artists', 'albums', 'tracks'], { default: 'albums' }),
    offset: Offset,
    limit: Type.Integer({ minimum: 0, maximum: 500, default: 100 }),
    id: Type.Optional(ids(50))
  }),
  'GET cover': parameters({ of: Type.String(), size: Type.Integer({ minimum: 1, maximum: 1024 }) }),
  'GET download': parameters({ kind: oneOf(downloadKinds), id: Id('item') }),
  'GET extras': parameters({ album: Type.Optional(Id('album')), track: Type.Optional(ids(50)) }),
  /** Without a limit: clients of `/v1` can request at most 1,000 tracks. */
  'GET playlist': parameters({
    id: Id('playlist'),
    trackLimit: Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER, default: -1 }),
    sort: Type.Optional(Type.String()),
    order: Type.Optional(order)
  }),
  /**
   * `remove` has ids, since the page may show another order than the stored one. Each removes the last copy of a track.
   */
  'POST playlist': parameters({
    id: Type.Optional(Id('playlist')),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    tracks: Type.Optional(ids()),
    seen: Type.Optional(ids()),
    add: Type.Optional(ids()),
    remove: Type.Optional(ids())
  }),
  /** Without an `id`, the response contains the editable playlists of other accounts. */
  'GET sharing': parameters({ id: Type.Optional(Id('playlist')) }),
  'POST sharing': parameters({
    id: Id('playlist'),
    everyone: Type.Optional(share),
    people: Type.Optional(Type.Array(ShareOf, { maxItems: 1000, description: 'a list of names with what each may' }))
  }),
  'GET plays': parameters({ offset: Offset, since: Type.Optional(Since) }),
  /** The times of plays refer to the client's clock, whose current time is `now`. */
  'POST plays': parameters({
    now: milliseconds, plays: Type.Array(ToldPlay, { maxItems: 500, description: 'a list of at most 500 plays' })
  }),
  /** The queue of the account, with the tracks around the current entry. */
  'GET listening': none,
  /** A request without operations only reports, or asks. */
  'POST listening': parameters({
    device: Type.String({ minLength: 1, maxLength: 64 }),
    /** A name that the user has chosen. */
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    known: Type.Object({ list: Type.Optional(idOf('a list')), revision: Count }, {
      description: 'an object with list and revision'
    }),
    operations: Type.Array(QueueOperation, { maxItems: 100, description: 'a list of at most 100 operations' }),
    report: Type.Optional(Type.Object({
      seen: Count, entry: Type.Optional(idOf('an entry')), position: milliseconds, isPlaying: Type.Boolean()
    }, { description: 'an object with seen, entry, position and isPlaying' }))
  }),
  'GET tracks': parameters({ id: ids(50) }),
  'GET progress': none,
  'GET scan': none,
  'POST scan': none,
  'GET app-passwords': none,
  'POST app-passwords': parameters({ name: Type.String() }),
  'POST app-passwords/revoke': parameters({ id: Type.String() }),
  'GET sources': none,
  'GET unavailable': none,
  'GET household': none,
  'GET household/server': none,
  'GET household/removal': parameters({ account: Type.String() }),
  'POST household/add': parameters({ name: Type.String(), limits: Limits }),
  'POST household/link': parameters({ account: Type.String() }),
  'POST household/limits': parameters({ account: Type.String(), limits: Limits }),
  'POST household/revoke': parameters({ id: Type.String() }),
  'POST household/remove': parameters({ account: Type.String(), confirm: Type.String() }),
  'GET household/account': parameters({ account: Type.String() }),
  /** `import` and `restore` require the first value again as `confirm`. */
  'POST household/run': parameters({
    operation: oneOf(householdOperations),
    values: Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 2, description: 'a list of at most 2 texts' }),
    input: Type.String({ default: '' }),
    confirm: Type.String({ default: '' })
  }),
  'GET services': none,
  'POST services': parameters({ service: Type.String(), token: Type.String({ maxLength: 1000 }) }),
  'POST services/end': parameters({ service: Type.String() }),
  'GET ratings': parameters({ track: ids(50) }),
  'POST ratings': parameters({ track: Id('track'), rating: Rating }),
  /** Without a track, the response contains the folder. */
  'GET files': parameters({ track: Type.Optional(Id('track')) }),
  'POST check': none
} satisfies Record<string, TObject>

export type OwnName = keyof typeof ownParameters
export type OwnParameters<N extends OwnName> = Static<(typeof ownParameters)[N]>
