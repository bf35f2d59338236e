import { Report } from 'c8'

/** The part of its API that its types omit. */
interface CoverageMap {
  getCoverageSummary: () => Record<typeof thresholds[number], { pct: number }>
}

const thresholds = ['statements', 'branches', 'functions', 'lines'] as const

/**
 * Prints the lines of `lib`, `schemas` and `example` that the tests do not run.
 *
 * @param folder the folder with the output of `NODE_V8_COVERAGE`
 * @returns whether the tests run all lines, branches and functions
 */
export async function isCovered (folder: string): Promise<boolean> {
  const report = new Report({
    tempDirectory: folder,
    include: ['lib/**', 'schemas/**', 'example/**'],
    exclude: [],
    extension: ['.ts', '.tsx', '.js'],
    excludeNodeModules: true,
    reporter: ['text'],
    skipFull: true
  })
  const summary = (await (report as Report & { getCoverageMapFromAllCoverageFiles: () => Promise<CoverageMap> })
    .getCoverageMapFromAllCoverageFiles()).getCoverageSummary()
  const isWhole = thresholds.every(name => summary[name].pct === 100)
  if (!isWhole) await report.run()
  return isWhole
}
