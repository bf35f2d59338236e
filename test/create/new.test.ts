import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createProject, type TemplateName } from '../../lib/create/create-project.ts'
import { runNew } from '../../lib/create/run-new.ts'

const packageJson = JSON.parse(await readFile('package.json', 'utf8'))
const silent = new AbortController().signal

/** Runs the command in this process, with an answer when it asks. */
async function run (
  args: string[],
  { answer, isTTY = false, signal = silent }: { answer?: string, isTTY?: boolean, signal?: AbortSignal } = {}
) {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stdout = new PassThrough()
  let said = ''
  let stderr = ''
  // A terminal stays open behind a line, and each question is answered when it is there.
  const lines = answer?.match(/.*\n/g) ?? []
  stdout.setEncoding('utf8').on('data', text => {
    said += text
    if (text.endsWith(': ') && lines.length > 0) stdin.write(lines.shift())
  })
  if (answer === '') stdin.end()
  const done = runNew(args, { stdin, stdout, stderr: { write: text => { stderr += text; return true } } }, signal)
  const status = await done
  return { status, stdout: said, stderr, stdin }
}

/** Runs it in a folder of its own. */
async function runIn (t: Test, args: string[], options?: Parameters<typeof run>[1]) {
  const folder = t.testdir()
  const before = process.cwd()
  process.chdir(folder)
  t.teardown(() => process.chdir(before))
  return { folder, ...await run(args, options) }
}

const files = [
  '.dockerignore', '.gitignore', 'Dockerfile', 'README.md', 'music/The Scales - Falling Scale.wav',
  'music/The Scales - Rising Scale.wav', 'package.json', 'src/adapter.ts', 'src/build-app.ts', 'src/read-music.ts',
  'src/server.ts', 'src/source.test.ts', 'tsconfig.json'
]
const filesOfUpstream = [
  ...files.filter(file => file !== 'src/read-music.ts'),
  'compose.yaml', 'src/music-server.ts', 'src/music-service.ts', 'src/service.ts'
].sort()

async function filesOf (folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll('\\', '/')).sort()
}

t.test('new writes a project that has the name of its folder, pinned to this version', async t => {
  const { folder, status, stdout } = await runIn(t, ['Über My_Source'])
  t.equal(status, 0)
  t.strictSame(await filesOf(join(folder, 'Über My_Source')), files)
  t.equal(stdout, 'ber-my-source is ready:\n\n  cd "Über My_Source"\n  npm install\n  npm run dev\n')
  const written = JSON.parse(await readFile(join(folder, 'Über My_Source/package.json'), 'utf8'))
  const { version, engines, peerDependencies, devDependencies } = packageJson
  t.strictSame(written, {
    name: 'ber-my-source',
    version: '0.1.0',
    private: true,
    type: 'module',
    engines,
    scripts: {
      build: 'tsc',
      dev: 'tsx watch --clear-screen=false src/server.ts',
      start: 'npm run build && node dist/server.js',
      test: 'npm run build && node --test dist/*.test.js',
      check: 'source-origin check'
    },
    dependencies: {
      '@fastify/compress': peerDependencies['@fastify/compress'],
      '@fastify/helmet': peerDependencies['@fastify/helmet'],
      '@fastify/rate-limit': peerDependencies['@fastify/rate-limit'],
      '@fastify/under-pressure': peerDependencies['@fastify/under-pressure'],
      'music-metadata': devDependencies['music-metadata'],
      fastify: peerDependencies.fastify,
      'fastify-source-origin': version
    },
    devDependencies: {
      '@types/node': devDependencies['@types/node'],
      tsx: devDependencies.tsx,
      typescript: devDependencies.typescript
    }
  })
  t.match(await readFile(join(folder, 'Über My_Source/README.md'), 'utf8'), /^# ber-my-source\n/)
  for (const file of files) {
    t.notMatch(await readFile(join(folder, 'Über My_Source', file), 'utf8'), /(?<!ber-)my-source/, file)
  }
})

t.test('--yes takes the default name and asks nothing', async t => {
  const { folder, status, stdout } = await runIn(t, ['--yes'], { isTTY: true })
  t.equal(status, 0)
  t.match(stdout, /^my-source is ready/)
  t.strictSame(await filesOf(join(folder, 'my-source')), files)
})

t.test('without a terminal it asks nothing', async t => {
  t.match((await runIn(t, [])).stdout, /^my-source is ready/)
})

const answers: Record<string, { name: string, written: string[] }> = {
  'other\n upstream \n': { name: 'other', written: filesOfUpstream },
  ' spaced \n\n': { name: 'spaced', written: files },
  '\nfolder\n': { name: 'my-source', written: files }
}
for (const [answer, { name, written }] of Object.entries(answers)) {
  t.test(`on a terminal it asks for folder and template: ${JSON.stringify(answer)} is ${name}`, async t => {
    const { folder, stdout, stdin } = await runIn(t, [], { isTTY: true, answer })
    const asked = 'Folder of the project (my-source): Template, folder or upstream (folder): '
    t.match(stdout, `${asked}${name} is ready:\n\n  cd ${name}\n`)
    t.strictSame(await filesOf(join(folder, name)), written)
    t.equal(stdin.isPaused(), true, 'the terminal does not keep the process running')
  })
}

t.test('on a terminal it asks for what is not given', async t => {
  const { stdout } = await runIn(t, ['given'], { isTTY: true, answer: '\n' })
  t.match(stdout, /^Template, folder or upstream \(folder\): given is ready/)
  const other = await run(['--template', 'upstream'], { isTTY: true, answer: '\n' })
  t.match(other.stdout, /^Folder of the project \(my-source\): my-source is ready/)
})

t.test('a template that there is not is refused, and nothing is written', async t => {
  const { folder, status, stderr } = await runIn(t, ['a', '--template', 'upstreams'])
  t.equal(status, 2)
  t.equal(stderr, 'fastify-source-origin: the template must be folder or upstream\n')
  t.strictSame(await readdir(folder), [])
})

t.test('the end of the input, and an interruption, leave nothing', async t => {
  const { folder, status } = await runIn(t, [], { isTTY: true, answer: '' })
  t.equal(status, 130)
  t.equal((await run([], { isTTY: true, signal: AbortSignal.abort() })).status, 130)
  t.strictSame(await readdir(folder), [])
})

t.test('a folder that is empty is taken, also this one', async t => {
  const { folder, stdout } = await runIn(t, ['.'])
  t.strictSame(await filesOf(folder), files)
  t.match(stdout, /is ready:\n\n {2}npm install\n {2}npm run dev\n$/)
})

t.test('a name without letters is the default', async t => {
  t.match((await runIn(t, ['茉莉花'])).stdout, /^my-source is ready:\n\n {2}cd "茉莉花"\n/)
})

for (const name of ['a b', '$HOME', 'a`id`', 'it\'s $5', 'say "hi"', 'back\\slash', 'wow!', 'two\nlines', 'a;b&c']) {
  t.test(`a shell finds the folder ${JSON.stringify(name)} by the line that is printed`, async t => {
    const { folder, stdout } = await runIn(t, [name])
    const [, line] = / {2}(cd .+)\n {2}npm install/s.exec(stdout)!
    const shell = await promisify(execFile)('sh', ['-c', `${line} && cat package.json`], { cwd: folder })
    t.equal(shell.stdout, await readFile(join(folder, name, 'package.json'), 'utf8'))
  })
}

t.test('what an interactive shell takes for its history is in single quotes', async t => {
  t.match((await runIn(t, ['wow!'])).stdout, "  cd 'wow!'\n")
})

t.test('a folder that is not empty is refused and left as it is', async t => {
  const folder = t.testdir({ taken: { '.hidden': 'mine' } })
  const { status, stderr } = await run([join(folder, 'taken')])
  t.equal(status, 2)
  t.match(stderr, /^fastify-source-origin: the folder .+taken is not empty\n$/)
  t.strictSame(await readdir(join(folder, 'taken')), ['.hidden'])
})

t.test('a file, a second folder and an unknown option are refused', async t => {
  const folder = t.testdir()
  await writeFile(join(folder, 'file'), '')
  t.match(await run([join(folder, 'file')]), { status: 2, stderr: /EEXIST/ })
  t.match(await run(['a', 'b']), { status: 2, stderr: /expected: new \[folder\]/ })
  t.match(await run(['--quiet']), { status: 2, stderr: /Unknown option '--quiet'/ })
})

t.test('--help tells of the options', async t => {
  t.match(await run(['--help']), { status: 0, stdout: /--yes, -y/ })
})

t.test('the command new is a command of the package', async t => {
  const folder = t.testdir()
  const bin = fileURLToPath(new URL('../../lib/bin.ts', import.meta.url))
  const { stdout } =
    await promisify(execFile)(process.execPath, [...process.execArgv, bin, 'new', join(folder, 'a'), '--yes'])
  t.match(stdout, /^a is ready/)
})

for (const template of ['folder', 'upstream']) {
  t.test(`the tests of the template ${template} pass`, async t => {
    const folder = join(t.testdir(), 'a')
    await createProject(folder, template as TemplateName)
    await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'), 'junction')
    if (template === 'folder') {
      await mkdir(join(folder, 'music/a folder.mp3'))
      await symlink('gone.mp3', join(folder, 'music/a link.mp3'))
    }
    const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
    const types = new URL('../strip-types.js', import.meta.url).href
    const { stdout } = await promisify(execFile)(
      process.execPath, ['--conditions=source-origin-dev', `--import=${types}`, 'src/source.test.ts'], { cwd: folder, env }
    ).catch(error => error)
    t.match(stdout, /^(?:ℹ|#) fail 0$/m, stdout)
  })
}
