import { readdir, readFile } from 'node:fs/promises'

const root = new URL('..', import.meta.url)

/** A code block of a document. */
export interface Block {
  /** Path of the document from the root, and the line of the block's first line: `docs/reference/client.md:7`. */
  readonly place: string
  readonly document: string
  readonly language: string
  code: string
  /** What the HTML comment right before the block says, `<!-- not run: ... -->`; empty without one. */
  readonly mark: string
}

const inDocs = (await readdir(new URL('docs', root), { recursive: true })).map(name =>
  `docs/${name.replaceAll('\\', '/')}`)

/** The README and the documents of docs/, paths from the root. */
export const documents = ['README.md', ...inDocs.filter(name => name.endsWith('.md')).sort()]

export const readDocument = (path: string) => readFile(new URL(path, root), 'utf8')

/** The code blocks of a document, in its order. */
function blocksOf (document: string, text: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number, indent: string, language: string, mark: string } | undefined
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const fence = /^(\s*)```(.*)$/.exec(line)
    if (fence === null) continue
    const [, indent = '', info = ''] = fence
    if (open === undefined) {
      open = {
        line: index + 1,
        indent,
        language: info.trim(),
        mark: /^\s*<!-- (.*) -->$/.exec(lines[index - 1] ?? '')?.[1] ?? ''
      }
      continue
    }
    const code = lines.slice(open.line, index).map(line => line.slice(open!.indent.length)).join('\n') + '\n'
    blocks.push({ place: `${document}:${open.line + 1}`, document, language: open.language, code, mark: open.mark })
    open = undefined
  }
  if (open !== undefined) throw new Error(`${document}:${open.line} opens a code block that does not end`)
  return blocks
}

/** Every code block of the documents. */
export const blocks = (await Promise.all(documents.map(async path => blocksOf(path, await readDocument(path))))).flat()
