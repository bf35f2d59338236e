import t from 'tap'
import { noQueue, type QueueContent, type QueueEntry, type QueueOperation } from '../../lib/queue/account-queue.ts'
import { DeviceQueue } from '../../lib/queue/device-queue.ts'
import { exchange, type QueueRequest, type QueueState } from '../../lib/queue/exchange.ts'
import { nothingNow } from '../../lib/queue/queue-now.ts'
import { Random } from '../campaigns/support/random.ts'

// Devices that change one queue at once, whose requests are lost, late and repeated.

class Device {
  readonly name: string
  readonly queue: DeviceQueue
  readonly #random: Random
  #count = 0

  constructor (name: string, random: Random) {
    this.name = name
    this.#random = random
    this.queue = new DeviceQueue(() => `${name}${++this.#count}`)
  }

  newEntry (): QueueEntry { return [`${this.name}-${++this.#count}`, `track ${this.#random.below(5)}`] }

  change (): void {
    const random = this.#random
    const { entries, current, order } = this.queue.queue
    if (entries.length === 0 || random.chance(0.05)) {
      const filled = random.some(8, () => this.newEntry())
      this.queue.fill({ entries: filled, current: filled[random.below(filled.length + 1)]?.[0] })
      return
    }
    this.queue.change(random.pick<() => QueueContent>([
      () => ({ entries: entries.toSpliced(random.below(entries.length + 1), 0, this.newEntry()), current, order }),
      () => ({ entries: [...entries, this.newEntry(), this.newEntry()], current, order }),
      () => ({ entries: entries.toSpliced(random.below(entries.length), 1 + random.below(3)), current, order }),
      () => {
        const [moved] = entries.slice(random.below(entries.length))
        const others = entries.filter(entry => entry !== moved)
        return { entries: others.toSpliced(random.below(entries.length), 0, moved!), current, order }
      },
      () => ({ entries: entries.filter(([id]) => id === current), current, order }),
      () => ({
        entries: entries.toSorted(() => random.next() - 0.5), current, order: order ?? entries.map(([id]) => id)
      }),
      () => ({ entries, current, order: undefined, rest: { of: random.below(3) } })
    ])())
  }

  request (): QueueRequest {
    const { entries } = this.queue.queue
    const entry = entries[this.#random.below(entries.length)]?.[0]
    return {
      device: this.name,
      known: this.queue.known,
      operations: this.queue.pending,
      ...this.#random.chance(0.5) && {
        report: { seen: this.queue.now.turn, entry, position: this.#random.below(1000), isPlaying: true }
      }
    }
  }
}

/** The ids that accepted operations leave, however they are ordered. */
class Oracle {
  list: string | undefined
  readonly ids = new Set<string>()
  readonly #done = new Set<string>()

  add ({ id, list, fill, edit }: QueueOperation): void {
    if (this.#done.has(id)) return
    if (fill !== undefined) {
      this.list = id
      this.ids.clear()
      for (const [entry] of fill.entries) this.ids.add(entry)
    } else if (list === this.list) {
      for (const entry of edit?.remove ?? []) this.ids.delete(entry)
      for (const [entry, track] of edit?.put?.flatMap(({ entries }) => entries) ?? []) {
        if (track !== undefined) this.ids.add(entry)
      }
    } else return
    this.#done.add(id)
  }
}

t.test('devices that change one queue at once end with one queue, which has each accepted change once', async t => {
  for (let seed = 0; seed < 400; seed++) {
    const random = new Random(seed)
    const devices = ['a', 'b', 'c'].map(name => new Device(name, random))
    const oracle = new Oracle()
    let state: QueueState = { queue: noQueue, now: nothingNow }
    let time = 0
    const late: QueueRequest[] = []
    const serve = (request: QueueRequest) => {
      const served = exchange(state, request, ++time)
      for (const operation of request.operations) oracle.add(operation)
      state = served.state
      return served.answer
    }
    for (let step = 0; step < 40; step++) {
      const device = random.pick(devices)
      if (random.chance(0.6)) device.change()
      else if (late.length > 0 && random.chance(0.2)) serve(late.splice(random.below(late.length), 1)[0]!)
      else {
        const request = device.request()
        if (random.chance(0.1)) continue
        const answer = serve(request)
        if (random.chance(0.15)) late.push(request)
        if (random.chance(0.8)) device.queue.answered(request.operations, answer)
      }
      const ids = state.queue.entries.map(([id]) => id)
      t.equal(new Set(ids).size, ids.length, `seed ${seed}: an entry is there twice`)
      t.strictSame(new Set(ids), oracle.ids, `seed ${seed}`)
    }
    for (let round = 0; round < 2; round++) {
      for (const device of devices) {
        const { operations, known } = device.request()
        device.queue.answered(operations, serve({ device: device.name, known, operations }))
      }
    }
    for (const { name, queue } of devices) {
      t.strictSame(queue.pending, [], `seed ${seed}: ${name} sends no more`)
      const { done, current, ...content } = queue.queue
      const { done: _done, current: _current, ...stored } = state.queue
      t.strictSame(content, stored, `seed ${seed}: ${name}`)
    }
    if (!t.passing()) return
  }
})

t.test('a device that is started again has its copy and its unconfirmed changes, or none of a damaged one', async t => {
  const device = new Device('a', new Random(1))
  device.queue.fill({ entries: [['e', 't'], ['f', 't']], current: 'f' })
  const stored = JSON.parse(JSON.stringify(device.queue.stored))
  t.strictSame(DeviceQueue.restore(String, stored).queue.entries, [['e', 't'], ['f', 't']])
  for (const damaged of [undefined, 'x', {}, { ...stored, pending: 1 }, { ...stored, now: {} }]) {
    t.strictSame(DeviceQueue.restore(String, damaged).queue.entries, [])
  }
})

t.test('an operation without a change is a revision', async t => {
  const { state } = exchange({ queue: noQueue, now: nothingNow }, {
    device: 'a', known: { revision: 0 }, operations: [{ id: 'o' }]
  }, 1)
  t.match(state.queue, { revision: 1, entries: [] })
})
