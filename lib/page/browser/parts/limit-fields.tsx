import type { HouseholdLimit } from '../../page-responses.ts'
import { text, type TextName } from '../texts/index.ts'

type Setting = HouseholdLimit['setting']

/** On/off settings with their labels. */
const switches = [
  ['explicit', 'limitExplicit'], ['download', 'limitDownload'], ['delete', 'limitDelete'], ['share', 'limitShare']
] as const

const names = new Map<Setting, TextName>(
  [...switches, ['genres', 'limitGenres'], ['folders', 'limitFolders'], ['bitrate', 'limitBitrate']])

/** Returns a summary of limits: the names of the settings that are limited. */
export const describeLimits = (limits: readonly HouseholdLimit[]): string => limits.length === 0
  ? text('limitNone')
  : text('limited', { what: limits.map(({ setting }) => text(names.get(setting)!)).join(', ') })

const valuesOf = (limits: readonly HouseholdLimit[], setting: Setting): readonly string[] =>
  limits.find(limit => limit.setting === setting)?.values ?? []

/** Fields for the limits of an account, which `limitsIn` reads. */
export function LimitFields (
  { limits, genres }: { limits: readonly HouseholdLimit[], genres: readonly string[] }
) {
  const chosen = valuesOf(limits, 'genres')
  return (
    <>
      <fieldset class='choices'>
        <legend>{text('limitAllowed')}</legend>
        {switches.map(([setting, name]) => (
          <label key={setting} class='check'>
            <input type='checkbox' name={setting} defaultChecked={valuesOf(limits, setting).length === 0} />
            {text(name)}
          </label>
        ))}
      </fieldset>
      <fieldset class='choices'>
        <legend>{text('limitGenres')}</legend>
        <p class='fine'>{text('limitGenresAbout')}</p>
        {[...new Set([...chosen, ...genres])].map(genre => (
          <label key={genre} class='check'>
            <input type='checkbox' name='genres' value={genre} defaultChecked={chosen.includes(genre)} />
            <span dir='auto'>{genre}</span>
          </label>
        ))}
      </fieldset>
      <label>
        {text('limitFolders')}
        <small>{text('limitFoldersAbout')}</small>
        <textarea name='folders' rows={2} defaultValue={valuesOf(limits, 'folders').join('\n')} />
      </label>
      <label>
        {text('limitBitrate')}
        <small>{text('limitBitrateAbout')}</small>
        <input name='bitrate' type='number' min={1} max={99_999} defaultValue={valuesOf(limits, 'bitrate').join('')} />
      </label>
    </>
  )
}

/** Returns the limits that a form changes. */
export function limitsIn (form: HTMLFormElement, before: readonly HouseholdLimit[]): readonly HouseholdLimit[] {
  const data = new FormData(form)
  const textsOf = (name: string) => data.getAll(name).map(value => String(value).trim()).filter(value => value !== '')
  const folders = textsOf('folders').flatMap(lines => lines.split('\n')).map(line => line.trim())
    .filter(line => line !== '')
  const limits: readonly HouseholdLimit[] = [
    { setting: 'genres', values: textsOf('genres') },
    { setting: 'folders', values: folders },
    { setting: 'bitrate', values: textsOf('bitrate') },
    ...switches.map(([setting]) => ({ setting, values: data.has(setting) ? [] : ['off'] }))
  ]
  const isSwitch = (setting: Setting) => switches.some(([name]) => name === setting)
  return limits
    .filter(({ setting, values }) => JSON.stringify(values) !== JSON.stringify(valuesOf(before, setting)))
    .map(({ setting, values }) => values.length > 0
      ? { setting, values }
      : { setting, values: [isSwitch(setting) ? 'on' : 'all'] })
}
