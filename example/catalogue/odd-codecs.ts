import type { IndexDatabase } from '../database/index-database.ts'

/** Reports files that browsers do not play: details for the log, and a message for the page. */
export function reportOddCodecs (
  db: IndexDatabase, warn: (details: object, event: string, message: string) => void
): void {
  const codec = "tags ->> '$.codec'"
  const counts = db.all<{ codec: string, files: number }>(`
    SELECT ${codec} AS codec, count(*) AS files FROM file WHERE ${codec} IS NOT NULL
    GROUP BY ${codec} ORDER BY ${codec}`)
  if (counts.length === 0) return
  const files = counts.map(({ codec, files }) => `${files} ${codec}`).join(', ')
  warn({ files }, 'codecs unknown to browsers',
    `Browsers do not play ${files}. The page plays another quality of such a track where there is one; ` +
    'apps may play them')
}
