import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { checkXml, formats, readAnswer, type Format } from '../../subsonic-server/check-answer.ts'
import { queryOf, type Query } from '../../subsonic-server/helper.ts'
import { byName, type AppModel, type Call, type View } from './app-model.ts'
import type { BuiltExample } from './built-example.ts'

/** Ids of what is there, as apps have them. */
interface Shown { artists: readonly string[], albums: readonly string[], tracks: readonly string[] }

/** An account and those who use it: an app, a client of `/v1`, the page. Every answer of `/rest` is checked. */
export class AppUser {
  readonly name: string
  readonly #token: string
  #example: BuiltExample

  constructor (example: BuiltExample, name: string, token: string) {
    this.#example = example
    this.name = name
    this.#token = token
  }

  /** It was started again. */
  use (example: BuiltExample): void { this.#example = example }

  async rest (method: string, query: Query = {}, format: Format = 'json'): Promise<any> {
    const body = queryOf({ u: this.name, p: this.#token, c: 'campaign', v: '1.16.1', ...query, ...formats[format] })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await this.#example.fetch(`/rest/${method}`, { method: 'POST', headers, body })
    assert.equal(response.status, 200)
    const answer = { headers: Object.fromEntries(response.headers), body: await response.text() }
    return readAnswer(format, answer as unknown as LightMyRequestResponse)
  }

  async v1 (path: string, payload?: object): Promise<{ code: number, message?: string, data: any }> {
    const headers = { authorization: this.#token, 'content-type': 'application/json' }
    const answer = await this.#example.fetch(path, {
      headers, ...payload && { method: 'POST', body: JSON.stringify(payload) }
    })
    return await answer.json() as { code: number, data: any }
  }

  async #data (path: string): Promise<any> {
    const { code, message, data } = await this.v1(path)
    assert.equal(code, 200, `${path}: ${message}`)
    return data
  }

  /** @returns the code of the error, 0 for none, and the id of a list that it made */
  async run (model: AppModel, { at, method, parameters }: Call): Promise<{ code: number, made?: string }> {
    const write = (value: unknown) => typeof value !== 'object'
      ? value
      : at === 'rest' ? model.shownIdOf(value as never) : model.idOf(value as never)
    const given = Object.fromEntries(Object.entries(parameters).map(([name, value]) =>
      [name, Array.isArray(value) ? value.map(write) : write(value)]))
    if (at === 'v1') {
      const { code, data } = await this.v1(`/v1/${method}`, given)
      if (code !== 200) return { code }
      assert.notEqual(data.success, false)
      return { code: 0, made: data.id }
    }
    const { status, error, playlist } = await this.rest(method, given as Query)
    return status === 'ok' ? { code: 0, made: playlist?.id.slice(3) } : { code: error.code }
  }

  /** What the account is shown, by `/rest`, `/v1` and the page alike. */
  async look (shown: Shown): Promise<View> {
    const { playlists: { playlist } } = await this.rest('getPlaylists')
    const all = await this.#data('/v1/user/playlist/list')
    const own = all.filter(({ creator }: any) => creator.id === this.name)
    const lists = []
    for (const { id, name, description, trackCount } of own) {
      const { playlist: whole } = await this.rest('getPlaylist', { id: `pl-${id}` })
      const detail = await this.#data(`/v1/playlist/detail?id=${id}`)
      const tracks = detail.tracks.map((track: any) => track.id)
      const listed = playlist.find((one: any) => one.id === `pl-${id}`)
      assert.deepEqual(whole.entry.map((song: any) => song.id.slice(3)), tracks, `tracks of ${name}`)
      const told = [name, description, trackCount]
      for (const one of [whole, listed]) {
        assert.deepEqual([one.name, one.comment ?? '', one.songCount], told, `what is told of ${name}`)
        assert.deepEqual([one.owner, one.readonly], [this.name, false], name)
      }
      assert.equal(listed.duration, whole.duration, `length of ${name}`)
      assert.equal(trackCount, tracks.length, `number of tracks of ${name}`)
      lists.push({ name, comment: description, tracks })
    }
    const editable = playlist.filter((one: any) => !one.readonly).map(({ id }: any) => id)
    assert.deepEqual(editable, own.map(({ id }: any) => `pl-${id}`), 'lists that apps may change')
    return {
      lists: lists.sort(byName),
      favorites: await this.#favorites(),
      ratings: await this.#ratings(shown),
      ...await this.#positions()
    }
  }

  /** Tells a play of half a minute as the page does. */
  async playOnPage ({ track, startedAt }: { track: string, startedAt: number }): Promise<void> {
    const length = 30_000
    const play = { id: `${startedAt}`, track, length, startedAt, position: length, played: length, state: 'stopped' }
    const { code, message } = await this.v1('/page/plays', { now: Date.now(), plays: [play] })
    assert.equal(code, 200, message)
  }

  async playsOnPage (): Promise<number> {
    return (await this.#data('/page/plays')).items.length
  }

  async listNamed (wanted: string): Promise<string> {
    return (await this.#data('/v1/user/playlist/list')).find(({ name }: any) => name === wanted).id
  }

  async #favorites (): Promise<string[]> {
    const ids = (items: any[], prefix = '') => items.map(({ id }) => prefix + id).sort()
    const { starred2 } = await this.rest('getStarred2')
    checkXml(await this.rest('getStarred2', {}, 'xml'), await this.rest('getStarred2'))
    const kinds = [['song', 'tr', 'favorite/tracks'], ['album', 'al', 'album/list'], ['artist', 'ar', 'artist/list']]
    for (const [member, prefix, path] of kinds as [string, string, string][]) {
      const items = await this.#data(`/v1/user/${path}`)
      assert.deepEqual(ids(items, `${prefix}-`), ids(starred2[member]), `favourites of /v1: ${member}`)
    }
    for (const kind of ['albums', 'artists']) {
      const { items } = await this.#data(`/page/browse?kind=${kind}&limit=200`)
      const shown = items.filter(({ favorite }: any) => favorite)
      const member = kind.slice(0, -1)
      assert.deepEqual(ids(shown, `${member.slice(0, 2)}-`), ids(starred2[member]), `favourites of the page: ${kind}`)
    }
    const lists = (await this.#data('/v1/user/playlist/list')).filter(({ creator }: any) => creator.id !== this.name)
    const { song, album, artist } = starred2
    return [...ids([...song, ...album, ...artist]), ...ids(lists, 'pl-')].sort()
  }

  async #ratings ({ artists, albums, tracks }: Shown): Promise<Record<string, number>> {
    const ratings: Record<string, number> = {}
    const kinds = { getSong: ['song', tracks], getAlbum: ['album', albums], getArtist: ['artist', artists] } as const
    for (const [method, [member, ids]] of Object.entries(kinds)) {
      for (const id of ids) {
        const { userRating } = (await this.rest(method, { id }))[member]
        if (userRating !== undefined) ratings[id] = userRating
      }
    }
    return ratings
  }

  async #positions (): Promise<Pick<View, 'queue' | 'bookmarks'>> {
    const { playQueue } = await this.rest('getPlayQueue')
    const { playQueueByIndex: { currentIndex: current = -1, position = 0, entry } } =
      await this.rest('getPlayQueueByIndex')
    const ids = entry.map((song: any) => song.id)
    assert.deepEqual(playQueue.entry.map((song: any) => song.id), ids, 'the queue of both methods')
    assert.deepEqual([playQueue.current, playQueue.position ?? 0], [ids[current], position], 'where the queue is')
    const { bookmarks: { bookmark } } = await this.rest('getBookmarks')
    return {
      queue: { ids: ids.map((id: string) => id.slice(3)), current, position },
      bookmarks: Object.fromEntries(bookmark.map(({ entry, position, comment }: any) =>
        [entry.id.slice(3), { position, comment }]))
    }
  }
}
