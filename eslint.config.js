import { createRequire } from 'node:module'

// These packages are installed beside the other tools of CI.
const require = createRequire(new URL('.ci/tools/package.json', import.meta.url))
const neostandard = require('neostandard')
const regexp = require('eslint-plugin-regexp')

/** Beginnings of comments without a subject, and phrases that one reads twice (CONTRIBUTING.md, Words). */
const opening = /^[*\s]*(?:What|Who|Whoever|Whose|That of|Those|Of|One|As)\b/
const phrase = /\b(?:that of|those of|whoever|so many|anew|in the place of|told|what (?:is|was|has|they|it))\b/i

const plainComments = {
  create: ({ sourceCode, report }) => ({
    Program () {
      for (const comment of sourceCode.getAllComments()) {
        const [found] = opening.exec(comment.value) ?? phrase.exec(comment.value) ?? []
        const words = found?.replace(/[*\s]+/g, ' ').trim()
        if (words !== undefined) report({ loc: comment.loc, message: `Say "${words}" in plain English` })
      }
    }
  })
}

export default [
  ...neostandard({ ts: true, ignores: ['dist', '.tap'] }),
  {
    rules: { '@stylistic/max-len': ['error', { code: 120 }] }
  },
  {
    // A text that something is compared with stays in one piece.
    files: ['test/**'],
    rules: {
      '@stylistic/max-len': ['error', { code: 120, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true }]
    }
  },
  {
    // Texts come from tags, files and requests: no expression may take more than linear time over one.
    files: ['lib/**', 'example/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }]
    }
  },
  {
    files: ['lib/**', 'schemas/**', 'example/**'],
    plugins: { words: { rules: { comments: plainComments } } },
    rules: { 'words/comments': 'error' }
  }
]
