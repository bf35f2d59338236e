import t from 'tap'
import type { Test } from 'tap'
import { operations } from 'fastify-source-origin'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { authorized, build, callOf, completeAdapter, parametersOf } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'

const { adapter, calls } = completeAdapter()
const app = await build(t, { adapter })

/** Asks an operation and tells the status, the message and what the adapter got, by name. */
async function ask (operation: typeof operations[number], parameters: Record<string, unknown>) {
  calls.length = 0
  const response = await app.inject(callOf(operation, parameters as Record<string, string>))
  const got = calls[0] && Object.fromEntries(operation.parameters.map((name, index) => [name, calls[0]!.args[index]]))
  return { status: response.statusCode, message: response.json().message as string | undefined, got }
}

for (const operation of operations) {
  const { parameters } = schemasOf(operation.adapterMethod)
  const valid = parametersOf(operation)
  const inBody = operation.method === 'POST'

  for (const [name, rule] of Object.entries(parameters.properties)) {
    const refuse = async (t: Test, value: unknown) => {
      const { status, message, got } = await ask(operation, { ...valid, [name]: value })
      t.equal(status, 400, JSON.stringify(value))
      t.match(message, new RegExp(`\\b${name}\\b`))
      t.equal(got, undefined)
    }

    if (parameters.required!.includes(name)) {
      t.test(`${operation.adapterMethod}: ${name} is required`, async t => {
        const { [name]: _absent, ...rest } = valid
        const { status, message } = await ask(operation, rest)
        t.equal(status, 400)
        t.equal(message, `Parameter ${name} is required`)
      })
    }

    if (rule.minLength === 1) {
      t.test(`${operation.adapterMethod}: ${name} is trimmed`, async t => {
        t.equal((await ask(operation, { ...valid, [name]: ' \t a b \u3000' })).got?.[name], 'a b')
      })
      t.test(`${operation.adapterMethod}: ${name} must not be blank`, async t => {
        await refuse(t, '')
        await refuse(t, ' \n ')
      })
    }

    if (rule.type === 'integer') {
      t.test(`${operation.adapterMethod}: ${name} is an integer within its limits`, async t => {
        for (const value of ['', ' ', 'x', '1.5', '1e2', '0x10', 'true', 'NaN', '1 2', String(rule.minimum - 1)]) {
          await refuse(t, value)
        }
        if (rule.maximum !== undefined) await refuse(t, String(rule.maximum + 1))
        for (const value of [rule.minimum, rule.maximum ?? 12345]) {
          t.equal((await ask(operation, { ...valid, [name]: String(value) })).got?.[name], value)
        }
        if (rule.minimum === 0) t.ok(Object.is((await ask(operation, { ...valid, [name]: '-0' })).got?.[name], 0))
        await refuse(t, '9007199254740993')
      })
    }

    if (rule.type === 'string' && !rule.minLength && !inBody) {
      t.test(`${operation.adapterMethod}: a blank ${name} is absent`, async t => {
        for (const blank of ['', '  ']) {
          t.equal((await ask(operation, { ...valid, [name]: blank })).got?.[name], rule.default)
        }
      })
    }

    if (inBody) {
      t.test(`${operation.adapterMethod}: ${name} is never converted`, async t => {
        const foreign = rule.type === 'boolean' ? ['true', 'maybe', 1, 0, null, []] : [1, true, null, ['a'], {}]
        for (const value of foreign) await refuse(t, value)
      })
    } else {
      t.test(`${operation.adapterMethod}: ${name} twice is an error`, async t => {
        const query = new URLSearchParams({ ...valid, sort: 'a' })
        query.delete(name)
        query.append(name, '1')
        query.append(name, '1')
        const response = await app.inject({ ...callOf(operation), url: `${operation.path}?${query}` })
        t.equal(response.statusCode, 400)
        t.match(response.json().message, new RegExp(`\\b${name}\\b`))
      })
    }
  }

  if (inBody) {
    t.test(`${operation.adapterMethod}: an unknown member of the body is an error`, async t => {
      const { status, message } = await ask(operation, { ...valid, foreign: 1 })
      t.equal(status, 400)
      t.match(message, 'foreign')
      t.ok((await ask(operation, { ...valid, ['foreign.'.repeat(100_000)]: 1 })).message!.length < 200)
    })
    t.test(`${operation.adapterMethod}: the body must be an object`, async t => {
      for (const payload of ['[]', 'null', '"a"', '1']) {
        const response = await app.inject({
          ...callOf(operation), payload, headers: { ...callOf(operation).headers, 'content-type': 'application/json' }
        })
        t.equal(response.statusCode, 400, payload)
      }
      t.equal((await app.inject({ method: 'POST', url: operation.path, headers: authorized })).statusCode, 400)
    })
    t.test(`${operation.adapterMethod}: nothing is read from the query string`, async t => {
      const response =
        await app.inject({ ...callOf(operation, {}), url: `${operation.path}?${new URLSearchParams(valid)}` })
      t.equal(response.statusCode, 400)
    })
  } else {
    t.test(`${operation.adapterMethod}: an unknown query key is ignored, once and twice`, async t => {
      const { url } = callOf(operation)
      t.equal(
        (await app.inject({ ...callOf(operation), url: `${url}&foreign=1&foreign=2&__proto__=1` })).statusCode, 200
      )
    })
  }
}

const detail = operationOf('getPlaylistDetail')

t.test('order is asc when only sort is given', async t => {
  t.match((await ask(detail, { id: '1', sort: 'a' })).got, { sort: 'a', order: 'asc' })
})

t.test('order goes with sort', async t => {
  for (const order of ['asc', 'desc']) {
    t.match((await ask(detail, { id: '1', sort: 'a', order })).got, { sort: 'a', order })
  }
})

t.test('order that is neither asc nor desc is an error', async t => {
  for (const order of ['up', 'ASC', '']) {
    const { status, message } = await ask(detail, { id: '1', sort: 'a', order })
    t.equal(status, 400)
    t.match(message, 'order')
  }
})

t.test('order without sort is ignored, whatever it says', async t => {
  for (const order of ['desc', 'up', '']) {
    const { status, got } = await ask(detail, { id: '1', order })
    t.equal(status, 200)
    t.match(got, { sort: undefined, order: undefined })
  }
})

t.test('order of an artist\'s tracks is a free string', async t => {
  t.match((await ask(operationOf('getArtistTracks'), { id: '1', order: 'by moonlight' })).got, {
    order: 'by moonlight'
  })
})

t.test('a description may be empty, and is empty when it is absent', async t => {
  const update = operationOf('updatePlaylist')
  t.match((await ask(update, { id: '1', name: 'n', description: '' })).got, { description: '' })
  t.match((await ask(update, { id: '1', name: 'n' })).got, { description: '' })
  t.match((await ask(update, { id: '1', name: 'n', description: ' trimmed ' })).got, { description: 'trimmed' })
})

t.test('an unknown member of a body is refused, with the one that was meant', async t => {
  const create = operationOf('createPlaylist')
  t.equal((await ask(create, { name: 'n', naem: 'x' })).message, 'Unknown parameter naem: did you mean name?')
  t.equal((await ask(create, { name: 'n', colour: 'x' })).message, 'Unknown parameter colour')
})

for (const [method, parameters, message] of [
  ['getTrackDetail', { id: ' ' }, 'Parameter id must not be empty'],
  ['searchTracks', { keyword: 'a', limit: '' }, 'Parameter limit must not be empty'],
  ['searchTracks', { keyword: 'a', limit: '0' }, 'Parameter limit must be an integer from 1 to 100'],
  ['searchTracks', { keyword: 'a', offset: 'x' }, 'Parameter offset must be an integer of at least 0'],
  ['getPlaylistDetail', { id: '1', sort: 'a', order: 'up' }, 'Parameter order must be asc or desc'],
  ['createPlaylist', { name: 7 }, 'Parameter name must be a string'],
  ['createPlaylist', { name: '' }, 'Parameter name must not be empty'],
  ['createPlaylist', { name: ['a'] }, 'Parameter name must be a string'],
  ['favoriteTrack', { id: '1', status: 'yes' }, 'Parameter status must be true or false']
] as const) {
  t.test(`${method} with ${JSON.stringify(parameters)} is refused: ${message}`, async t => {
    const { status, message: given } = await ask(operationOf(method), parameters)
    t.equal(status, 400)
    t.equal(given, message)
  })
}

const longest =
  { getTrackDetail: 'id', favoriteTrack: 'id', addTrackToPlaylist: 'trackId', removeTrack: 'playlistId' } as const
for (const [method, name] of Object.entries(longest) as [keyof typeof longest, string][]) {
  t.test(`${method}: ${name} has 1,024 bytes at most, however many characters that is`, async t => {
    const operation = operationOf(method)
    for (const [id, isShort] of [
      ['x'.repeat(1024), true], ['x'.repeat(1025), false], ['é'.repeat(512), true], ['é'.repeat(513), false]
    ] as const) {
      const { status, message } = await ask(operation, { ...parametersOf(operation), [name]: id })
      t.equal(status, isShort ? 200 : 400)
      if (!isShort) t.equal(message, `Parameter ${name} must be a string of 1024 bytes at most`)
    }
  })
}

t.test('a parameter that is given twice, and a body that is no object, are refused in words', async t => {
  const twice = await app.inject({ url: '/v1/track?id=1&id=2', headers: authorized })
  t.equal(twice.json().message, 'Parameter id must be given only once')
  const create = callOf(operationOf('createPlaylist'))
  for (const payload of ['null', '[]', '7', '"a"']) {
    const response =
      await app.inject({ ...create, payload, headers: { ...create.headers, 'content-type': 'application/json' } })
    t.equal(response.json().message, 'The body must be a JSON object')
  }
})

t.test('text in a query that is another spelling of an integer is refused', async t => {
  for (const limit of ['7e0', '7.0', '+7', '0x7']) {
    t.equal(
      (await ask(operationOf('searchTracks'), { keyword: 'a', limit })).message,
      'Parameter limit must be an integer from 1 to 100'
    )
  }
})

t.test('what a host\'s parser of queries makes of a parameter is no number unless it is text', async t => {
  for (const limit of [7, ['7'], { toString: () => '7' }]) {
    const app = await build(t, completeAdapter(), {
      routerOptions: {
        querystringParser: () =>
          ({ keyword: 'a', limit }) as never
      }
    })
    const response = await app.inject({ url: '/v1/search/tracks?x', headers: authorized })
    t.equal(response.statusCode, 400, JSON.stringify(limit))
  }
})
