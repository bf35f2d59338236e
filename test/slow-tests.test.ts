import t from 'tap'
import { folder } from './example/helper.ts'
import { slowTests } from './slow-tests.ts'

const output = `TAP version 14
# Subtest: test/one.test.ts
    # Subtest: fast
        ok 1 - should be equal
        1..1
    ok 1 - fast # time=999.9ms
    # Subtest: with others
        # Subtest: slow, and fails
            not ok 1 - should be equal
            1..1
        not ok 1 - slow, and fails # time=1234.5ms
        1..1
    not ok 2 - with others # time=2000ms
    1..2
not ok 1 - test/one.test.ts # time=3000ms
# Subtest: test/page/page.test.ts
    # Subtest: in a browser
        1..0
    ok 1 - in a browser # time=9000ms
    1..1
ok 2 - test/page/page.test.ts # time=9001ms
`
const single = `# Subtest: slow
    1..0
ok 1 - slow # time=60000ms
`

t.test('tests of more than a second are listed, slowest first, without those that have a reason', async t => {
  const results = folder(t, { '.tap/groups/1.test.js.tap': output, 'test/deep/single.test.ts.tap': single })
  t.strictSame(slowTests(results), [
    '60.0 s test/deep/single.test.ts > slow',
    '1.2 s test/one.test.ts > with others > slow, and fails'
  ])
})
