import type { Random } from './random.ts'

/** What the folder has: everything by its id of `/v1`. */
export interface World {
  readonly tracks: readonly { readonly id: string, readonly album: string, readonly artist: string }[]
  /** A playlist of the folder, which nobody may change. */
  readonly folderList: string
  /** Numbers of the tracks whose files are gone. */
  readonly gone: ReadonlySet<number>
}

/** What an account has, as plain data. */
export interface State {
  lists: List[]
  /** `kind-id`, as apps have them. */
  favorites: string[]
  ratings: Record<string, number>
  queue: { ids: string[], current: number, position: number }
  bookmarks: Record<string, { position: number, comment: string }>
}
interface List { label: string, name: string, comment: string, tracks: string[] }

export const noState = (): State =>
  ({ lists: [], favorites: [], ratings: {}, queue: { ids: [], current: 0, position: 0 }, bookmarks: {} })

/** Names something, so that steps stay what they are when others before them are left out. */
export type Ref = { readonly track: number } | { readonly album: number } | { readonly artist: number } |
  { readonly list: string } | { readonly folderList: true } | { readonly text: string }

/** What an app, a client of `/v1` or the page does. Parameters of several are lists. */
export interface Call {
  readonly at: 'rest' | 'v1'
  readonly method: string
  readonly parameters: Readonly<Record<string, Ref | string | boolean | readonly (Ref | string)[]>>
  /** The list that it makes. */
  readonly makes?: string
}
export type Step = Call | { readonly together: readonly Call[] } | { readonly lose: number } |
  { readonly find: number } | { readonly look: true }

/** The error of a call, by the code of `/rest` or the status of `/v1`; 0 = it is done. */
class Refused extends Error {
  readonly code: number
  constructor (code: number) {
    super(`refused with ${code}`)
    this.code = code
  }
}

const prefixes = { track: 'tr', album: 'al', artist: 'ar', list: 'pl', folderList: 'pl', text: '' }
const isId = (id: string) => /^[0-9a-f]{20}$/.test(id)
const numbers: Readonly<Record<string, number>> = { 0: 0, 7: 7, 7.5: 8, '1.2e+05': 120_000, '2.0': 2 }
const kindOf = (ref: Ref) => Object.keys(ref)[0] as keyof typeof prefixes

/** A list that goes while it is being changed is not there (70), one that went before cannot be changed (50). */
const isMeanwhile = (code: number) => code === 50 || code === 70
export const isSameCode = (one: number, other: number): boolean =>
  one === other || (isMeanwhile(one) && isMeanwhile(other))

/** Those that are made at the same time are in no order. */
export const byName = (a: { name: string }, b: { name: string }): number => a.name < b.name ? -1 : 1

/** What calls do to what an account has: arrays, and nothing else. */
export class AppModel {
  readonly #world: World
  /** Ids of lists by their labels: those that are gone too. */
  readonly #ids: ReadonlyMap<string, string>

  constructor (world: World, ids: ReadonlyMap<string, string>) {
    this.#world = world
    this.#ids = ids
  }

  /** The id of `/v1`; of a list that was never made one that nothing has. */
  idOf (ref: Ref): string {
    const { tracks, folderList } = this.#world
    if ('track' in ref) return tracks[ref.track]!.id
    if ('album' in ref) return tracks[ref.album]!.album
    if ('artist' in ref) return tracks[ref.artist]!.artist
    if ('list' in ref) return this.#ids.get(ref.list) ?? '0'.repeat(20)
    return 'folderList' in ref ? folderList : ref.text
  }

  knows (list: string): boolean { return this.#ids.has(list) }

  /** The id that apps have. */
  shownIdOf (ref: Ref): string {
    return 'text' in ref ? ref.text : `${prefixes[kindOf(ref)]}-${this.idOf(ref)}`
  }

  isThere (ref: Ref): boolean {
    const { tracks, gone } = this.#world
    if ('track' in ref) return !gone.has(ref.track)
    const member = 'album' in ref ? 'album' : 'artist'
    if ('album' in ref || 'artist' in ref) {
      const id = this.idOf(ref)
      return tracks.some((track, number) => track[member] === id && !gone.has(number))
    }
    return 'folderList' in ref
  }

  /**
   * Does it to the state.
   *
   * @throws Refused where it has to be refused: then nothing may change
   */
  apply (state: State, call: Call): void {
    const change = changes[`${call.at} ${call.method}`]!
    const changed = structuredClone(state)
    change(changed, new Arguments(this, changed, call))
    Object.assign(state, changed)
  }

  /** What a call is answered with; the state is changed. */
  codeOf (state: State, call: Call): number {
    try {
      this.apply(state, call)
      return 0
    } catch (error) {
      if (error instanceof Refused) return error.code
      throw error
    }
  }

  /** What the account is shown of it. */
  viewOf ({ lists, favorites, ratings, queue, bookmarks }: State) {
    const { tracks, gone } = this.#world
    const refs = tracks.flatMap((_track, at): Ref[] => [{ track: at }, { album: at }, { artist: at }])
    const there = new Set([...refs, { folderList: true } as const].filter(ref => this.isThere(ref))
      .map(ref => this.shownIdOf(ref)))
    const known = new Set(tracks.flatMap(({ id }, at) => gone.has(at) ? [] : [id]))
    const places = queue.ids.flatMap((id, place) => known.has(id) ? [place] : [])
    const next = places.findIndex(place => place >= queue.current)
    const current = next === -1 ? places.length - 1 : next
    return {
      lists: lists.map(({ name, comment, tracks }) => ({ name, comment, tracks })).sort(byName),
      favorites: favorites.filter(id => there.has(id)).sort(),
      ratings: Object.fromEntries(Object.entries(ratings).filter(([id]) => there.has(id) && !/^[ps]/.test(id))),
      queue: {
        ids: places.map(place => queue.ids[place]!),
        current,
        position: places[current] === queue.current ? queue.position : 0
      },
      bookmarks: Object.fromEntries(Object.entries(bookmarks).filter(([id]) => known.has(id)))
    }
  }
}

export type View = ReturnType<AppModel['viewOf']>

/** The arguments of a call, read as the server has to read them. */
class Arguments {
  readonly model: AppModel
  readonly #state: State
  readonly #call: Call

  constructor (model: AppModel, state: State, call: Call) {
    this.model = model
    this.#state = state
    this.#call = call
  }

  get makes (): string { return this.#call.makes! }

  refs (name: string): Ref[] {
    return ([this.#call.parameters[name] ?? []].flat() as (Ref | string)[]).filter(value => typeof value === 'object')
  }

  ref (name: string): Ref { return this.refs(name)[0]! }

  /** `undefined` where it is blank or was not sent. */
  text (name: string): string | undefined {
    const value = this.#call.parameters[name]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }

  isGiven (name: string): boolean { return name in this.#call.parameters }

  flag (name: string): boolean { return this.#call.parameters[name] === true }

  number (name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : this.#read(text)
  }

  #read (text: string): number {
    const number = numbers[text] ?? (/^\d+$/.test(text) ? Number(text) : undefined)
    if (number === undefined) throw new Refused(10)
    return number
  }

  numbers (name: string): number[] {
    return ([this.#call.parameters[name] ?? []].flat() as string[]).map(text => this.#read(text))
  }

  /** Ids of tracks as apps send them. */
  tracks (name: string): string[] {
    return this.refs(name).map(ref => {
      if (!('track' in ref || ('text' in ref && /^tr-\w+$/.test(ref.text)))) throw new Refused(70)
      return this.model.shownIdOf(ref).slice(3)
    })
  }

  /** @throws Refused 50 for what is no list of the account */
  list (name: string): List {
    const ref = this.ref(name)
    const found = this.find(ref)
    if (found !== undefined) return found
    const isList = 'list' in ref || 'folderList' in ref || ('text' in ref && /^(pl|sp|tl)-\w+$/.test(ref.text))
    throw new Refused(isList ? 50 : 70)
  }

  /** As `/v1` finds it. */
  ownList (name: string): List {
    const ref = this.ref(name)
    if ('folderList' in ref) throw new Refused(422)
    const found = this.find(ref)
    if (found === undefined) throw new Refused(404)
    return found
  }

  /** One whose id was not known yet when it was asked for is not found. */
  find (ref: Ref): List | undefined {
    if (!('list' in ref) || !this.model.knows(ref.list)) return undefined
    return this.#state.lists.find(({ label }) => label === ref.list)
  }

  /** @throws Refused for a track that is neither there nor one of those */
  checkTracks (ids: readonly string[], before: readonly string[], refs: readonly Ref[]): void {
    const there = new Set(refs.filter(ref => this.model.isThere(ref)).map(ref => this.model.idOf(ref)))
    if (ids.some(id => !there.has(id) && !before.includes(id))) throw new Refused(70)
  }
}

const longestName = 300
const checkName = (name: string | undefined, code: number) => {
  if (name !== undefined && (name.length > longestName || name.includes('\0'))) throw new Refused(code)
}
const set = (list: string[], item: string, status: boolean) => {
  const at = list.indexOf(item)
  if (status && at === -1) list.push(item)
  if (!status && at !== -1) list.splice(at, 1)
}

const star = (status: boolean) => (state: State, given: Arguments) => {
  const refs = ['id', 'albumId', 'artistId'].flatMap(name => given.refs(name))
  if (refs.length === 0) throw new Refused(10)
  for (const ref of refs) {
    if ('text' in ref && !/^(tr|al|ar|pl|sp|tl)-\w+$/.test(ref.text)) throw new Refused(70)
    if ('text' in ref && /^(sp|tl)-/.test(ref.text)) throw new Refused(50)
  }
  for (const ref of refs) {
    const id = given.model.shownIdOf(ref)
    if ((status || !isId(id.slice(3))) && !given.model.isThere(ref)) throw new Refused(70)
    set(state.favorites, id, status)
  }
}

const favorite = (state: State, given: Arguments) => {
  const ref = given.ref('id')
  const status = given.flag('status')
  if ((status || !isId(given.model.idOf(ref))) && !given.model.isThere(ref)) throw new Refused(404)
  set(state.favorites, given.model.shownIdOf(ref), status)
}

const queue = (byIndex: boolean) => (state: State, given: Arguments) => {
  const ids = given.tracks('id')
  const position = given.number('position') ?? 0
  const index = byIndex ? given.number('currentIndex') : undefined
  if (byIndex && ids.length > 0 && (index === undefined || index >= ids.length)) throw new Refused(10)
  const wanted = byIndex ? undefined : given.tracks('current')[0]
  const current = byIndex ? index ?? 0 : wanted === undefined ? 0 : ids.indexOf(wanted)
  if (ids.length === 0) state.queue = noState().queue
  else state.queue = { ids, current: Math.max(0, current), position: current === -1 ? 0 : position }
}

/** What each call does, by its protocol and method. */
const changes: Readonly<Record<string, (state: State, given: Arguments) => void>> = {
  'rest createPlaylist' (state, given) {
    const tracks = given.tracks('songId')
    const name = given.text('name')
    if (!given.isGiven('playlistId')) {
      if (name === undefined) throw new Refused(10)
      checkName(name, 10)
      given.checkTracks(tracks, [], given.refs('songId'))
      state.lists.push({ label: given.makes, name, comment: '', tracks })
      return
    }
    const list = given.list('playlistId')
    checkName(name, 10)
    given.checkTracks(tracks, list.tracks, given.refs('songId'))
    Object.assign(list, { tracks, ...name !== undefined && { name } })
  },
  'rest updatePlaylist' (_state, given) {
    const list = given.list('playlistId')
    const add = given.tracks('songIdToAdd')
    const remove = given.numbers('songIndexToRemove')
    const name = given.text('name')
    checkName(name, 10)
    const left = list.tracks.filter((_id, place) => !remove.includes(place))
    // A call that fills a list again ignores positions past its end.
    const isFilledAgain = left.length === 0 && add.length > 0
    if (!isFilledAgain && remove.some(place => place >= list.tracks.length)) throw new Refused(10)
    given.checkTracks(add, list.tracks, given.refs('songIdToAdd'))
    list.tracks = [...left, ...add]
    if (name !== undefined) list.name = name
    if (given.isGiven('comment')) list.comment = given.text('comment') ?? ''
  },
  'rest deletePlaylist' (state, given) {
    const { label } = given.list('id')
    state.lists = state.lists.filter(list => list.label !== label)
  },
  'rest star': star(true),
  'rest unstar': star(false),
  'rest setRating' (state, given) {
    const ref = given.ref('id')
    if ('text' in ref && !/^(tr|al|ar|pl|sp|tl)-\w+$/.test(ref.text)) throw new Refused(70)
    const rating = given.number('rating')
    if (rating === undefined || rating > 5) throw new Refused(10)
    // The tracks of the day are a list, too.
    const isDaily = 'text' in ref && ref.text === 'sp-daily'
    const isThere = isDaily || given.model.isThere(ref) || given.find(ref) !== undefined
    if (rating > 0 && !isThere) throw new Refused(70)
    const { [given.model.shownIdOf(ref)]: _old, ...others } = state.ratings
    state.ratings = rating === 0 ? others : { ...others, [given.model.shownIdOf(ref)]: rating }
  },
  'rest savePlayQueue': queue(false),
  'rest savePlayQueueByIndex': queue(true),
  'rest createBookmark' (state, given) {
    const [id] = given.tracks('id')
    const position = given.number('position')
    if (position === undefined) throw new Refused(10)
    given.checkTracks([id!], [], given.refs('id'))
    state.bookmarks[id!] = { position, comment: given.text('comment') ?? '' }
  },
  'rest deleteBookmark' (state, given) {
    delete state.bookmarks[given.tracks('id')[0]!]
  },
  'v1 playlist/create' (state, given) {
    const name = given.text('name')?.trim()
    if (name === undefined) throw new Refused(400)
    checkName(name, 400)
    state.lists.push({ label: given.makes, name, comment: '', tracks: [] })
  },
  'v1 playlist/update' (_state, given) {
    const name = given.text('name')?.trim()
    if (name === undefined) throw new Refused(400)
    const ref = given.ref('id')
    if (!('folderList' in ref) && isId(given.model.idOf(ref))) checkName(name, 400)
    const list = given.ownList('id')
    Object.assign(list, { name, comment: given.text('description')?.trim() ?? '' })
  },
  'v1 playlist/delete' (state, given) {
    const { label } = given.ownList('id')
    state.lists = state.lists.filter(list => list.label !== label)
  },
  'v1 playlist/addTrack' (_state, given) {
    const list = given.ownList('playlistId')
    const track = given.ref('trackId')
    if (!given.model.isThere(track)) throw new Refused(404)
    list.tracks.push(given.model.idOf(track))
  },
  'v1 playlist/removeTrack' (_state, given) {
    const list = given.ownList('playlistId')
    const track = given.model.idOf(given.ref('trackId'))
    if (!isId(track)) throw new Refused(404)
    list.tracks = list.tracks.filter(id => id !== track)
  },
  'v1 playlist/favorite': favorite,
  'v1 track/favorite': favorite,
  'v1 album/favorite': favorite,
  'v1 artist/favorite': favorite
}

/** Steps that look random, and are the same for the same numbers. */
export function * randomSteps (random: Random, world: World, count: number): Generator<Step, void, undefined> {
  const { tracks } = world
  const gone = new Set<number>()
  let made = 0
  const song = (): Ref => random.chance(0.06)
    ? { text: random.pick(['tr-' + '1'.repeat(20), 'tr-x', 'x', 'al-x', 'pl-x', 'tr-~~', 'sp-daily']) }
    : { track: random.below(tracks.length) }
  const songs = (most: number) => random.some(most, song)
  const item = (): Ref => random.pick<() => Ref>([
    song, song, () => ({ album: random.below(tracks.length) }), () => ({ artist: random.below(tracks.length) }),
    () => random.chance(0.5) ? { folderList: true } : list()
  ])()
  const list = (): Ref => random.chance(0.08)
    ? random.pick<Ref>([{ folderList: true }, { text: 'pl-' + '2'.repeat(20) }, { text: 'tr-x' }, { text: 'sp-daily' }])
    : { list: `L${random.chance(0.8) ? Math.max(0, made - 1 - random.below(3)) : random.below(made + 2)}` }
  const number = () => random.pick(['0', '7', '7.5', '1.2e+05', '2.0', '3', '-5', 'abc', ''])
  const name = () =>
    random.chance(0.05) ? random.pick(['', ' ', 'n'.repeat(301), 'a\0b']) : `N${random.below(1e6)} <&é>`
  const places = () =>
    random.some(4, () => random.chance(0.9) ? String(random.below(4)) : random.pick(['9', '-1', 'x']))
  const make = () => ({ makes: `L${made++}` })
  /** A track, list and item of `/v1`, whose ids have no kind. */
  const plain = (ref: Ref): Ref => 'text' in ref ? { text: ref.text.slice(3) || 'x' } : ref
  const favorites: Readonly<Record<string, () => Ref>> = {
    track: song,
    album: () => ({ album: random.below(tracks.length) }),
    artist: () => ({ artist: random.below(tracks.length) }),
    playlist: list
  }
  const calls: readonly [weight: number, make: () => Call][] = [
    [4, () => ({
      at: 'rest', method: 'createPlaylist', parameters: { name: name(), songId: songs(6) }, ...make()
    })],
    [5, () => ({
      at: 'rest',
      method: 'createPlaylist',
      parameters: { playlistId: list(), songId: songs(8), ...random.chance(0.3) && { name: name() } }
    })],
    [8, () => ({
      at: 'rest',
      method: 'updatePlaylist',
      parameters: {
        playlistId: list(),
        songIdToAdd: songs(4),
        songIndexToRemove: random.chance(0.6) ? places() : [],
        ...random.chance(0.3) && { name: name() },
        ...random.chance(0.3) && { comment: random.pick(['', 'C', 'of "all"\n & more']) },
        ...random.chance(0.1) && { public: true }
      }
    })],
    [1, () => ({ at: 'rest', method: 'deletePlaylist', parameters: { id: list() } })],
    [4, () => ({
      at: 'rest',
      method: random.pick(['star', 'unstar']),
      parameters: { id: random.some(4, item), albumId: random.some(1, () => ({ album: random.below(tracks.length) })) }
    })],
    [4, () => ({
      at: 'rest',
      method: 'setRating',
      parameters: { id: item(), rating: random.pick(['0', '1', '3', '5', '6', '7.5', 'abc', '2.0']) }
    })],
    [3, () => ({
      at: 'rest',
      method: 'savePlayQueue',
      parameters: { id: songs(6), ...random.chance(0.8) && { current: song() }, position: number() }
    })],
    [3, () => ({
      at: 'rest',
      method: 'savePlayQueueByIndex',
      parameters: { id: songs(6), currentIndex: number(), position: number() }
    })],
    [4, () => ({
      at: 'rest',
      method: 'createBookmark',
      parameters: { id: song(), position: number(), ...random.chance(0.5) && { comment: random.pick(['', 'Here']) } }
    })],
    [1, () => ({ at: 'rest', method: 'deleteBookmark', parameters: { id: song() } })],
    [2, () => ({ at: 'v1', method: 'playlist/create', parameters: { name: name() }, ...make() })],
    [2, () => ({
      at: 'v1',
      method: 'playlist/update',
      parameters: { id: plain(list()), name: name(), description: random.pick(['', 'D', ' D ']) }
    })],
    [1, () => ({ at: 'v1', method: 'playlist/delete', parameters: { id: plain(list()) } })],
    [5, () => ({
      at: 'v1', method: 'playlist/addTrack', parameters: { playlistId: plain(list()), trackId: plain(song()) }
    })],
    [4, () => ({
      at: 'v1', method: 'playlist/removeTrack', parameters: { playlistId: plain(list()), trackId: plain(song()) }
    })],
    [4, () => {
      const kind = random.pick(Object.keys(favorites))
      const id = plain(favorites[kind]!())
      return { at: 'v1', method: `${kind}/favorite`, parameters: { id, status: random.chance(0.6) } }
    }]
  ]
  const weighted = calls.flatMap(([weight, make]) => Array<() => Call>(weight).fill(make))
  const call = () => random.pick(weighted)()
  for (let step = 0; step < count; step++) {
    if (random.chance(0.04) && gone.size < tracks.length - 4) {
      const lost = random.below(tracks.length)
      if (!gone.has(lost)) yield { lose: lost }
      gone.add(lost)
    } else if (random.chance(0.04) && gone.size > 0) {
      const found = random.pick([...gone])
      gone.delete(found)
      yield { find: found }
    } else if (random.chance(0.1)) yield { together: [call(), call(), ...random.chance(0.5) ? [call()] : []] }
    else if (random.chance(0.12)) yield { look: true }
    else yield call()
  }
}
