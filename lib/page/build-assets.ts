import { build } from 'esbuild'
import { basename } from 'node:path'

/** A file that browsers load. */
export interface Asset {
  readonly type: string
  /** Text; base64 of a picture. */
  readonly body: string
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml', png: 'image/png'
}

/**
 * Every file of the page by its name, which has a hash of the content in it: `main-5F3K2A7Q.js`. Built where this
 * module is loaded.
 */
export const assets: ReadonlyMap<string, Asset> = await buildAssets()

async function buildAssets (): Promise<Map<string, Asset>> {
  // npm scripts and tests run in the root of the project.
  const folder = 'lib/page/browser'
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'joiner.ts', 'worker.ts', 'style/main.css', 'icon.svg', 'icon.png'].map(
      name => `${folder}/${name}`
    ),
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    loader: { '.svg': 'copy', '.png': 'copy' },
    write: false
  })
  return new Map(outputFiles.map(({ path, contents }) => {
    const type = types[path.split('.').at(-1)!]!
    const body = Buffer.from(contents).toString(type === 'image/png' ? 'base64' : 'utf8')
    return [basename(path), { type, body }]
  }))
}
