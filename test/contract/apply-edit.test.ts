import t from 'tap'
import { applyEdit, type PlaylistEdit } from 'fastify-source-origin'
import { editInTabs } from '../edit-in-tabs.ts'

type Edit = Omit<PlaylistEdit, 'tracks' | 'seen' | 'add'> & { tracks?: string, seen?: string, add?: string }

/** One letter is one track: what is there afterwards, the places that go and what comes at the end. */
function applied (before: string, { tracks, seen, add, ...edit }: Edit): string {
  const { tracks: after, removed, added } = applyEdit([...before], {
    ...edit,
    ...tracks !== undefined && { tracks: [...tracks] },
    ...seen !== undefined && { base: [...seen] },
    ...add !== undefined && { add: [...add] }
  })
  return `${after.join('')} -${removed.join('')} +${added.join('')}`
}

for (const [title, before, edit, outcome] of [
  ['nothing changes nothing', 'abc', {}, 'abc - +'],
  ['what is added comes at the end, as often as it is named', 'abc', { add: 'dd' }, 'abcdd - +dd'],
  ['what is there already is added again', 'abc', { add: 'bd' }, 'abcbd - +bd'],
  ['the same place can be named twice', 'abc', { remove: [1, 1] }, 'ac -1 +'],
  ['what goes can come again, at the end', 'abc', { remove: [0], add: 'a' }, 'bca -0 +a'],
  ['what is stored twice goes at one place', 'abac', { remove: [2] }, 'abc -2 +'],
  ['an order has what it names, and no other', 'abc', { tracks: 'cd' }, 'cd -01 +d'],
  ['as much stays in an order as can', 'abcd', { tracks: 'acdb' }, 'acdb -1 +b'],
  ['an empty order empties', 'abc', { tracks: '' }, ' -012 +'],
  ['an order has twice what is stored twice', 'aba', { tracks: 'baa' }, 'baa -0 +a'],
  ['an order has a track as often as it names it', 'a', { tracks: 'abbaa' }, 'abbaa - +bbaa'],
  ['the second of three goes and the others stay', 'axaya', { remove: [2] }, 'axya -2 +'],
  ['an order without one of two copies loses that copy', 'abac', { seen: 'abac', tracks: 'bac' }, 'bac -0 +'],
  ['what has come behind a copy stays behind it', 'abaxc', { seen: 'abac', tracks: 'bac' }, 'baxc -0 +'],
  ['a copy that others have removed stays removed', 'bac', { seen: 'abac', tracks: 'abca' }, 'bca -1 +a'],
  ['two that add a track have added it twice', 'abc', { seen: 'ab', tracks: 'acb' }, 'acbc -1 +bc'],
  ['places are those of what is stored, in an order too', 'abc', { tracks: 'cba', remove: [0] }, 'cb -01 +b'],
  ['what has come since stays behind what it was behind', 'xaybcz', { seen: 'abc', tracks: 'cab' }, 'xczayb -123 +ayb'],
  ['what has come since stays where what it stood behind goes', 'axby', { seen: 'ab', tracks: 'b' }, 'xby -0 +'],
  ['what has gone since stays gone', 'ac', { seen: 'abc', tracks: 'cba' }, 'ca -0 +a'],
  ['what is put back comes where it was', 'acy', { seen: 'ac', tracks: 'abc' }, 'abcy -12 +bcy'],
  ['what was seen matters to no edit without an order', 'ab', { seen: 'a' }, 'ab - +'],
  ['an order of what is stored twice loses one', 'aba', { tracks: 'aab', remove: [0] }, 'ab -2 +'],
  ['a list that is filled again may have become shorter', 'ab', { remove: [0, 1, 2, 3], add: 'ba' }, 'ba -0 +a'],
  ['a list that has become empty is filled again', '', { remove: [0, 1], add: 'ab' }, 'ab - +ab'],
  ['a list that has become longer keeps what has come', 'abc', { remove: [0, 1], add: 'ba' }, 'cba -01 +ba']
] as const satisfies [string, string, Edit, string][]) {
  t.test(`an edit of a playlist: ${title}`, async t => {
    t.equal(applied(before, edit), outcome)
  })
}

t.test('an edit of a playlist refuses a place that the list does not have', async t => {
  for (const [remove, place] of [[[0, 1, 2, -1], -1], [[0, 1, 2, 0.5], 0.5], [[0, 1, 3], 3]] as const) {
    t.throws(() => applyEdit(['a', 'b', 'c'], { remove, add: ['d'] }), { message: new RegExp(`place ${place}$`) })
  }
  t.throws(() => applyEdit(['a'], { remove: [0, 1] }), { message: /place 1$/ }, 'nothing is added')
  for (const place of [-1, 0.5, 3]) {
    t.throws(() => applyEdit(['a', 'b', 'c'], { remove: [0, place] }),
      { name: 'BadRequestError', message: `This playlist has no track at the place ${place}` })
  }
})

t.test('edits of one playlist by two tabs with old states and by an app lose no track and add none', async t => {
  let stored: readonly string[] = []
  const apply = (edit: Omit<PlaylistEdit, 'id'>) => { stored = applyEdit(stored, edit).tracks }
  await editInTabs(t, {
    add: id => apply({ add: [id] }),
    remove: place => apply({ remove: [place] }),
    removeAll: id => apply({ remove: stored.flatMap((one, place) => one === id ? [place] : []) }),
    edit: apply,
    read: () => stored
  }, [...'abcdefghi'], 2000)
})
