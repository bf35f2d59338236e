import t from 'tap'
import { dictionary } from '../../lib/page/browser/texts/dictionary.ts'
import { laterDictionary } from '../../lib/page/browser/texts/later-dictionary.ts'
import { assets } from '../../lib/page/build-assets.ts'
import { launch } from '../browser.ts'
import { visit } from './helper.ts'

const browser = await launch(t)
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

t.test('both languages have every text, with the same values in it', async t => {
  const texts: Readonly<Record<string, readonly [string, string]>> = { ...dictionary, ...laterDictionary }
  for (const [name, [english, chinese]] of Object.entries(texts)) {
    t.match(english, /\S/, name)
    t.match(chinese, /\S/, name)
    t.strictSame(placeholders(chinese), placeholders(english.replace('{s}', '')), name)
  }
})

t.test('the start of the page says nothing for which the text is loaded later', async t => {
  const main = [...assets].find(([name]) => /^main-.*js$/.test(name))![1].body
  const { body } = assets.get(/chunk-\w+\.js/.exec(main)![0])!
  const [say] = /[\w$]+\((?="close"\))/.exec(body)!
  for (const name of Object.keys(laterDictionary)) t.notOk(body.includes(`${say}"${name}"`), name)
})

for (const [locale, lang] of [
  ['zh-TW', 'en'], ['zh-Hant-HK', 'en'], ['zh-Hans-SG', 'zh-CN'], ['zh', 'zh-CN'], ['fr-FR', 'en']
] as const) {
  t.test(`a browser in ${locale} gets the page in ${lang}`, t => visit(t, browser, { browser: { locale } }, async ({
    page
  }) => {
    await page.locator('.sidebar').waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), lang)
  }))
}

t.test('the page speaks the language of the browser', t => visit(t, browser, {
  browser: { locale: 'zh-CN' }
}, async ({ page, go }) => {
  await page.getByRole('link', { name: '首页' }).waitFor()
  t.equal(await page.evaluate('document.documentElement.lang'), 'zh-CN')
  await go('/daily')
  await page.getByRole('heading', { level: 1, name: '每日推荐' }).waitFor()
}))

for (const [locale, date] of [['en-GB', '30 Nov 1979'], ['en-US', 'Nov 30, 1979']] as const) {
  t.test(`dates and numbers are written as in ${locale}`, t => visit(t, browser, {
    browser: { locale },
    adapter: base => ({
      getAlbumDetail: async (...args) =>
        ({ ...await base.getAlbumDetail(...args), publishTime: Date.UTC(1979, 10, 30) }),
      getUserPlaylist: async () => (await base.getUserPlaylist()).map(list => ({ ...list, trackCount: 5000 }))
    })
  }, async ({ page, served, go, sees }) => {
    await served.adapter.createPlaylist('Mine')
    await go('/album/b0')
    await page.getByText(date).waitFor()
    await go('/library/playlists')
    await sees('5,000 tracks')
  }))
}

t.test('the language can be chosen, and the choice stays', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/sources')
  await page.getByLabel('Language').selectOption('中文')
  await page.getByRole('link', { name: '首页' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: '首页' }).waitFor()
}))
