import fc from 'fast-check'
import t from 'tap'
import { NotFoundError, RateLimitedError, TimeoutError, UnauthorizedError } from 'fastify-source-origin'
import { createCursorStore, cursorPager, type Cursors } from 'fastify-source-origin/upstream'

/** A list whose pages have these lengths; cursors are the numbers of pages. */
function createList (lengths: readonly number[]) {
  let item = 0
  const pages = lengths.map(length => Array.from({ length }, () => item++))
  const asked: (string | undefined)[] = []
  const fetch = async (cursor: string | undefined) => {
    asked.push(cursor)
    const page = Number(cursor ?? 0)
    return { items: pages[page]!, next: page + 1 < pages.length ? String(page + 1) : undefined }
  }
  return { fetch, asked, items: pages.flat() }
}

t.test('pages by offset and limit are those of the whole list, in any order, whatever is known', async t => {
  const lengths = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 8 })
  const requests =
    fc.array(fc.record({ offset: fc.nat(30), limit: fc.integer({ min: 1, max: 12 }) }), { minLength: 1, maxLength: 8 })
  await fc.assert(fc.asyncProperty(lengths, requests, async (lengths, requests) => {
    const { fetch, items } = createList(lengths)
    const page = cursorPager({ fetch })
    for (const { offset, limit } of requests) {
      const { hasMore, ...rest } = await page(offset, limit)
      const end = offset + limit
      t.strictSame(rest, { items: items.slice(offset, end), offset, limit })
      // Pages that may follow could be empty: then there may be more, as far as anybody knows.
      if (hasMore !== (end < items.length)) t.ok(hasMore && lengths.at(-1) === 0)
    }
  }))
})

t.test('a call starts at the nearest known cursor at or before its offset', async t => {
  const { fetch, asked } = createList([10, 10, 10, 10])
  const known = new Map<number, string | undefined>()
  t.match(
    await cursorPager({ fetch, cursors: known })(5, 10), { items: [5, 6, 7, 8, 9, 10, 11, 12, 13, 14], hasMore: true }
  )
  t.strictSame(known, new Map([[10, '1'], [20, '2']]))
  asked.length = 0
  const page = cursorPager({ fetch, cursors: known })
  await page(15, 5)
  await page(25, 15)
  await page(0, 1)
  t.strictSame(asked, ['1', '2', '3', undefined])
})

t.test('an empty page with a next is passed over, also the next time', async t => {
  const { fetch, asked } = createList([0, 0, 3, 0])
  const page = cursorPager({ fetch })
  t.strictSame(await page(0, 2), { items: [0, 1], offset: 0, limit: 2, hasMore: true })
  t.strictSame(await page(0, 9), { items: [0, 1, 2], offset: 0, limit: 9, hasMore: false })
  t.strictSame(asked, [undefined, '1', '2', '2', '3'])
})

for (const next of [null, '', undefined]) {
  t.test(`a list ends where next is ${JSON.stringify(next)}`, async t => {
    const asked: (string | undefined)[] = []
    const page = cursorPager({
      fetch: async cursor => {
        asked.push(cursor)
        return cursor === undefined ? { items: ['a', 'b'], next: 'second' } : { items: ['c'], next }
      }
    })
    t.strictSame(await page(0, 5), { items: ['a', 'b', 'c'], offset: 0, limit: 5, hasMore: false })
    t.strictSame(asked, [undefined, 'second'])
  })
}

t.test('a known cursor that is refused leads to the start, once, and its list of cursors is forgotten', async t => {
  const { fetch, asked } = createList([2, 2, 2])
  const known = new Map<number, string | undefined>([[4, 'old'], [2, 'older'], [6, 'oldest']])
  const page = cursorPager({
    cursors: known,
    fetch: async cursor => {
      if (cursor?.startsWith('old')) throw new NotFoundError()
      return fetch(cursor)
    }
  })
  t.match(await page(4, 2), { items: [4, 5], hasMore: false })
  t.strictSame(asked, [undefined, '1', '2'])
  t.strictSame(known, new Map([[2, '1'], [4, '2']]))
})

t.test('cursors are not forgotten if the start fails like the known cursor', async t => {
  const cursors = [[2, 'a'], [4, 'b']] as const
  const known = new Map<number, string | undefined>(cursors)
  const asked: unknown[] = []
  const fetch = async (cursor: string | undefined) => {
    asked.push(cursor)
    throw new Error('The client hung up')
  }
  await t.rejects(cursorPager({ cursors: known, fetch })(4, 2), { message: 'The client hung up' })
  t.strictSame(asked, ['b', undefined])
  t.strictSame(known, new Map(cursors))
})

t.test('other errors go out: of the start, of a cursor that is new, and those that no cursor causes', async t => {
  const failing = (error: Error, from: number) => {
    let calls = 0
    const page = cursorPager({
      cursors: new Map([[2, 'old']]),
      fetch: async () => {
        if (++calls >= from) throw error
        return { items: [1], next: 'next' }
      }
    })
    return { page, calls: () => calls }
  }
  for (const [error, from, offset, expected] of [
    [new NotFoundError(), 1, 0, 1], [new NotFoundError(), 1, 2, 2], [new NotFoundError(), 2, 2, 2],
    [new RateLimitedError(), 1, 2, 1], [new TimeoutError(), 1, 2, 1], [new UnauthorizedError(), 1, 2, 1]
  ] as const) {
    const { page, calls } = failing(error, from)
    await t.rejects(page(offset, 5), error)
    t.equal(calls(), expected)
  }
})

t.test('a list without an end, or with nothing but empty pages, ends after so many pages', async t => {
  let asked = 0
  const fetch = async () => {
    asked++
    return { items: [], next: `next ${asked}` }
  }
  t.strictSame(await cursorPager({ fetch })(0, 5), { items: [], offset: 0, limit: 5, hasMore: false })
  t.equal(asked, 50)
  const { fetch: ones } = createList(Array.from({ length: 60 }, () => 1))
  const { items, ...rest } = await cursorPager({ fetch: ones })(0, 55)
  t.strictSame([items.length, rest], [50, { offset: 0, limit: 55, hasMore: false }])
})

t.test('a cursor that comes again ends the list, with one warning', async t => {
  const warnings = t.capture(process, 'emitWarning', () => {})
  const fetch = async (cursor: string | undefined) =>
    ({ items: [cursor ?? 'start'], next: cursor === 'b' ? 'a' : cursor === 'a' ? 'b' : 'a' })
  for (let call = 0; call < 2; call++) {
    t.strictSame(await cursorPager({ fetch })(0, 9), {
      items: ['start', 'a', 'b'], offset: 0, limit: 9, hasMore: false
    })
  }
  t.match(warnings(), [{ args: [/gave a cursor of a list again/, { code: 'SOURCE_ORIGIN_WARN_REPEATED_CURSOR' }] }])
  t.equal(warnings().length, 0)
})

t.test('all gives the whole list, or its first items', async t => {
  const { fetch, items, asked } = createList(Array.from({ length: 60 }, () => 2))
  t.strictSame(await cursorPager({ fetch }).all(500), items)
  asked.length = 0
  t.strictSame(await cursorPager({ fetch }).all(5), items.slice(0, 5))
  t.equal(asked.length, 3)
})

t.test('of one list a thousand cursors are kept', async t => {
  const known: Cursors = new Map()
  const page =
    cursorPager(
      { cursors: known, fetch: async (cursor = '0') => ({ items: [cursor], next: String(Number(cursor) + 1) }) }
    )
  await page.all(1000)
  await page(1000, 1)
  t.equal(known.size, 1000)
  t.notOk(known.has(1))
})

t.test('a store keeps the cursors of 1,000 lists, and drops the one that was not used for longest', t => {
  const store = createCursorStore()
  const [a, b] = [store.of('a'), store.of('b')]
  for (let list = 2; list < 1000; list++) store.of(String(list))
  t.equal(store.of('a'), a)
  store.of('c')
  t.equal(store.of('a'), a)
  t.not(store.of('b'), b)
  t.end()
})

t.test('arguments that are wrong are refused by name', async t => {
  const fetch = async () => ({ items: [] })
  const invalid = (name: string) => ({ code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: `"${name}"` })
  t.throws(() => cursorPager({} as never), invalid('fetch'))
  t.throws(() => cursorPager({ fetch, cursors: {} } as never), invalid('cursors'))
  for (const offset of [-1, 0.5, NaN, '1' as never]) {
    await t.rejects(cursorPager({ fetch })(offset, 1), invalid('offset'))
  }
  for (const limit of [0, Infinity]) await t.rejects(cursorPager({ fetch })(0, limit), invalid('limit'))
  await t.rejects(cursorPager({ fetch }).all(0), invalid('limit'))
})

const noPages = { '{ data }': { data: [] }, 'items that are no list': { items: {} }, nothing: undefined }
for (const [what, page] of Object.entries(noPages)) {
  t.test(`a page that is ${what} is refused by name`, async t => {
    const pager = cursorPager({ fetch: async () => page as never })
    for (const call of [() => pager(0, 10), () => pager.all(10)]) {
      await t.rejects(async () => { await call() }, {
        code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION',
        message: 'Option "fetch" must be a function that gives { items, next }, items a list'
      })
    }
  })
}
