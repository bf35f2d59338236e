import { EventEmitter } from 'node:events'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { folder } from '../helper.ts'

/** A folder with something in it, the watchers that were made for it, and what was logged. */
async function build (t: Test) {
  const watchers: EventEmitter[] = []
  const lines: string[] = []
  const { WatchedFolder } = await t.mockImport<typeof import('../../../example/scan/watched-folder.ts')>('../../../example/scan/watched-folder.ts', {
    chokidar: {
      watch () {
        const watcher = Object.assign(new EventEmitter(), { close: async () => {} })
        watchers.push(watcher)
        return watcher
      }
    }
  })
  const root = realpathSync(folder(t, { 'in/a.mp3': '' }))
  const watched = new WatchedFolder(root, { warn: (text: string) => lines.push(text) } as any, () => {})
  t.teardown(() => watched.close())
  return { root, watched, watchers, lines }
}

t.test('a folder that was away between two looks is watched anew', async t => {
  const { root, watched, watchers } = await build(t)
  await watched.look(undefined)
  watched.watch()
  watchers[0]!.emit('unlinkDir', join(root, 'in'))
  await watched.look(undefined)
  t.equal(watchers.length, 1)
  watchers[0]!.emit('unlinkDir', root)
  await watched.look(undefined)
  t.equal(watchers.length, 2)
})

t.test('a system that cannot watch is told of', async t => {
  const { watched, watchers, lines } = await build(t)
  watched.watch()
  watchers[0]!.emit('error', new Error('no space left'))
  t.match(lines, [/^Changes of the folder may be seen late: no space left/])
})

t.test('what a system says of each folder is told once', async t => {
  const { watched, watchers, lines } = await build(t)
  watched.watch()
  for (const [code, name] of [['ENOSPC', 'a'], ['ENOSPC', 'b'], ['EACCES', 'c'], ['ENOSPC', 'd']] as const) {
    watchers[0]!.emit('error', Object.assign(new Error(`${code}, watch ${name}`), { code }))
  }
  t.match(lines, [/: ENOSPC, watch a$/, /: EACCES, watch c$/])
  t.equal(lines.length, 2)
})
