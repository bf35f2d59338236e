import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { demoMusic } from './demo-music.ts'

/**
 * The published package.json of this package. Other dependencies of the project have the versions that this package was
 * tested with.
 */
const { version, peerDependencies, devDependencies } = createRequire(import.meta.url)(
  'fastify-source-origin/package.json'
) as {
  version: string
  peerDependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** Packages that the option `protection` requires. */
const ofDoor = ['@fastify/compress', '@fastify/helmet', '@fastify/rate-limit', '@fastify/under-pressure']

/** Additional packages of each template. */
const templates = {
  folder: ['music-metadata'],
  upstream: ['@fastify/static', 'ioredis', 'kysely', 'pg']
}

export type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates) as TemplateName[]
export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(templates, name)

const templatesFolder = join(import.meta.dirname, 'templates')
/** The project name in the templates, which is replaced. */
export const defaultName = 'my-source'
/** npm does not publish these files with a leading dot. */
const hidden = new Set(['gitignore', 'dockerignore'])

const tested = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, peerDependencies[name] ?? devDependencies[name]]))

const packageOf = (name: string, template: TemplateName) => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: '>=20.19.0' },
  scripts: {
    build: 'tsc',
    dev: 'tsx watch --clear-screen=false src/server.ts',
    start: 'npm run build && node dist/server.js',
    test: 'npm run build && node --test dist/*.test.js',
    check: 'source-origin check'
  },
  dependencies: { ...tested([...ofDoor, ...templates[template], 'fastify'].sort()), 'fastify-source-origin': version },
  devDependencies: tested(['@types/node', 'tsx', 'typescript'])
})

/**
 * Writes a small TypeScript source project into a folder, which is created if it is missing.
 *
 * @returns the name of the project, derived from the folder name by the rules of npm
 * @throws if the folder is not empty; errors of the system
 */
export async function createProject (folder: string, template: TemplateName): Promise<string> {
  const root = resolve(folder)
  await mkdir(root, { recursive: true })
  if ((await readdir(root)).length > 0) throw new Error(`the folder ${root} is not empty`)

  const name = basename(root).toLowerCase().match(/[a-z0-9]+/g)?.join('-').slice(0, 214) ?? defaultName
  const write = async (path: string, data: string | Buffer) => {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, data, { flag: 'wx' })
  }
  for (const from of [join(templatesFolder, 'shared'), join(templatesFolder, template)]) {
    for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const text = await readFile(path, 'utf8')
      const target = hidden.has(entry.name) ? `.${entry.name}` : path.slice(from.length + 1)
      await write(target, text.replaceAll(defaultName, name))
    }
  }
  for (const [file, data] of demoMusic()) await write(join('music', file), data)
  await write('package.json', `${JSON.stringify(packageOf(name, template), null, 2)}\n`)
  return name
}
