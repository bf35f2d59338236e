import { signal } from '@preact/signals'
import { keep, recall } from '../state/storage.ts'
import { dictionary } from './dictionary.ts'
import type { laterDictionary } from './later-dictionary.ts'

type LaterTexts = typeof laterDictionary
export type TextName = keyof typeof dictionary | keyof LaterTexts
type Texts = Readonly<Record<string, readonly [english: string, chinese: string]>>

let texts: Texts = dictionary

/** Adds the texts of a part that was loaded later. */
export const addTexts = (more: Texts): void => { texts = { ...texts, ...more } }

export type Language = 'en' | 'zh'

const known = navigator.languages.find(name => /^(en|zh)\b/i.test(name))
// The translation is Simplified Chinese, so it is not used for Traditional Chinese locales.
const ofBrowser: Language = /^zh(?!.*\b(?:hant|tw|hk|mo)\b)/i.test(known ?? '') ? 'zh' : 'en'

export const language = signal<Language>(recall<Language>('language', ofBrowser) === 'zh' ? 'zh' : 'en')

export function speak (name: Language): void {
  language.value = name
  keep('language', name)
}

/** Matches right-to-left letters, which would reorder the surrounding text. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** Formats a value for use in a sentence. */
const inSentence = (value: string | number) =>
  typeof value === 'number' ? exactly(value) : rightToLeft.test(value) ? `\u2068${value}\u2069` : value

/**
 * Returns a text in the language of the page. `{name}` is replaced by the value of that name, and `{s}` by the plural
 * ending for `count`.
 */
export function text (name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
  const [english, chinese] = texts[name]!
  const said = language.value === 'zh' ? chinese : english
  const all = { s: Number(values.count) === 1 ? '' : 's', ...values } as Readonly<Record<string, string | number>>
  return said.replace(/\{(\w+)\}/g, (_all, key: string) => inSentence(all[key] ?? ''))
}

export const languageTag = () => language.value === 'zh' ? 'zh-CN' : 'en'

/** The browser's variant of English, which determines the date format. */
const english = navigator.languages.find(name => /^en-[a-z]{2}$/i.test(name)) ?? 'en'
const dateTag = () => language.value === 'zh' ? languageTag() : english

/** Formats seconds as `3:07` or `1:02:03`. */
export function clock (seconds: number): string {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`
}

/** Returns the total length of tracks, `1 hr 5 min`; empty if unknown. */
export function lasting (tracks: readonly { readonly durationMs: number }[]): string {
  const seconds = Math.round(tracks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000)
  const minutes = Math.round(seconds / 60)
  const parts = minutes === 0
    ? [[seconds, 'second'] as const]
    : [[Math.floor(minutes / 60), 'hour'] as const, [minutes % 60, 'minute'] as const]
  return parts.filter(([value]) => value > 0).map(([value, unit]) =>
    new Intl.NumberFormat(languageTag(), { style: 'unit', unit, unitDisplay: 'short' }).format(value)).join(' ')
}

export const amount = (value: number) => new Intl.NumberFormat(languageTag(), { notation: 'compact' }).format(value)

export const exactly = (value: number) => new Intl.NumberFormat(languageTag()).format(value)

const isTime = (time: number) => Number.isFinite(time) && Math.abs(time) <= 8.64e15

/** Returns the year. Years are sent as their first moment in UTC. */
export const year = (time: number) => isTime(time) ? String(new Date(time).getUTCFullYear()) : ''

export const day = (time: number, settings: { timeZone?: string } = {}) =>
  isTime(time) ? new Intl.DateTimeFormat(dateTag(), { dateStyle: 'medium', ...settings }).format(time) : ''

export const timeOfDay = (time: number) =>
  new Intl.DateTimeFormat(dateTag(), { timeStyle: 'short' }).format(time)

export const moment = (time: number) => `${day(time)}, ${timeOfDay(time)}`

/** Returns a publication date, or the year if nothing else is known. */
export const published = (time: number) =>
  time === Date.UTC(new Date(time).getUTCFullYear()) ? year(time) : day(time, { timeZone: 'UTC' })

const units = [[1e9, 'gigabyte'], [1e6, 'megabyte'], [1e3, 'kilobyte']] as const

export const bytes = (size: number) => {
  const [divisor, unit] = units.find(([least]) => size >= least) ?? [1, 'byte']
  return new Intl.NumberFormat(
    languageTag(), { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 1 }
  ).format(size / divisor)
}
